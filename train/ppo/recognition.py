"""Recognition: an auxiliary task, to tell tables with strangers from tables of copies."""

import torch
from torch.nn.functional import binary_cross_entropy_with_logits


class Recognition(torch.nn.Linear):
    """Tells from the first layer of a network whether strangers sit at the table.

    A policy is paid for playing well with copies and with strangers, not for knowing with whom it plays. This
    loss makes its first layer know, so that the others can use it (auxiliary tasks: Jaderberg et al. 2017,
    "Reinforcement Learning with Unsupervised Auxiliary Tasks"). Agents are saved without it.

    right: float32, how many decisions it has told right.
    """

    def __init__(self, width: int, weight: float) -> None:
        """Begin without an opinion.

        Args:
            width: of the network's first layer.
            weight: of the loss.
        """
        super().__init__(width, 1)
        torch.nn.init.zeros_(self.weight)
        torch.nn.init.zeros_(self.bias)
        self._weight = weight
        self.right: torch.Tensor
        self.register_buffer("right", torch.zeros(()), persistent=False)

    def loss(self, hidden: torch.Tensor, strangers: torch.Tensor) -> torch.Tensor:
        """The weighted mean of the cross-entropy; also counts in `right`.

        Args:
            hidden: [n, width], the first layer's output.
            strangers: bool [n], whether strangers sit at the table.
        """
        told = self(hidden).float()[:, 0]
        self.right += ((told > 0) == strangers).sum()
        return self._weight * binary_cross_entropy_with_logits(told, strangers.float())
