"""Drawing of scenes with pygame, off screen; the only module that imports pygame.

Everything is laid out in units, at least 1000 by 700 of which fit into the picture. The picture is drawn at
twice its size and scaled down, which smooths the edges.
"""

import math
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # a library does not print

import pygame
import pygame.font

from wizard_env.render.colors import LIGHT_COLORS, Color
from wizard_env.render.scene import Scene, Seat
from wizard_env.render.signs import CIRCLES, POLYGONS, Point
from wizard_env.words import count_cards, rules_text

_MIN_WIDTH, _MIN_HEIGHT = 400, 280
_UNITS_WIDE, _UNITS_HIGH = 1000.0, 700.0
_SMOOTHING = 2

_ROOM: Color = (22, 34, 32)
_RIM: Color = (96, 62, 36)
_FELT: Color = (28, 110, 70)
_FELT_LINE: Color = (44, 130, 86)
_BAR: Color = (14, 22, 21)
_PLATE: Color = (24, 38, 36)
_PLATE_EDGE: Color = (88, 112, 104)
_GOLD: Color = (250, 204, 62)
_WHITE: Color = (248, 248, 244)
_GREY: Color = (166, 182, 176)
_GREEN: Color = (128, 224, 140)
_RED: Color = (248, 136, 124)
_CARD_EDGE: Color = (120, 126, 124)
_BACK: Color = (44, 74, 148)
_BACK_LINE: Color = (132, 158, 220)
_BAR_HEIGHT = 40.0
_MARGIN = 18.0
_PLATE_SIZE = (196.0, 50.0)
_HAND_CARD = (80.0, 112.0)
_TRICK_CARD = (60.0, 84.0)
_UPCARD = (44.0, 62.0)
_BACK_SIZE = (31.0, 44.0)
_CHIP_SIZE = (32.0, 26.0)
_CHIP_ROWS = 2
_TRICK_RADII = (150.0, 94.0)


def paint(scene: Scene, width: int, height: int) -> NDArray[np.uint8]:
    """Paint a scene: uint8 [height, width, 3]."""
    if width < _MIN_WIDTH or height < _MIN_HEIGHT:
        raise ValueError(f"{width} by {height} pixels: at least {_MIN_WIDTH} by {_MIN_HEIGHT} are needed")
    pygame.font.init()
    canvas = _Canvas(width * _SMOOTHING, height * _SMOOTHING)
    _Painting(canvas, scene).draw()
    surface = pygame.transform.smoothscale(canvas.surface, (width, height))
    pixels = np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8)
    return pixels.reshape(height, width, 3).copy()


class _Edge(NamedTuple):
    color: Color
    width: float


class _Canvas:
    """A surface measured in units."""

    def __init__(self, width: int, height: int) -> None:
        self.surface = pygame.Surface((width, height), depth=32)
        self._scale = min(width / _UNITS_WIDE, height / _UNITS_HIGH)
        self.width, self.height = width / self._scale, height / self._scale
        self._fonts: dict[int, pygame.font.Font] = {}

    def draw_box(
        self, corner: Point, size: Point, color: Color, radius: float = 0, edge: _Edge | None = None
    ) -> None:
        """Draw a rectangle with round corners, from its upper left one, and an edge outside it."""
        if edge is not None:
            outer = (corner[0] - edge.width, corner[1] - edge.width)
            whole = (size[0] + 2 * edge.width, size[1] + 2 * edge.width)
            self.draw_box(outer, whole, edge.color, radius + edge.width)
        rounded = round(radius * self._scale)
        pygame.draw.rect(self.surface, color, self._rectangle(corner, size), border_radius=rounded)

    def draw_ellipse(self, corner: Point, size: Point, color: Color) -> None:
        pygame.draw.ellipse(self.surface, color, self._rectangle(corner, size))

    def draw_disc(self, center: Point, radius: float, color: Color) -> None:
        pygame.draw.circle(self.surface, color, self._point(center), radius * self._scale)

    def draw_sign(self, name: str, center: Point, size: float) -> None:
        """Draw the sign of a suit, of the Wizard or of the Jester."""
        x, y = center
        color = LIGHT_COLORS[name]
        for polygon in POLYGONS[name]:
            points = [self._point((x + size * across, y + size * down)) for across, down in polygon]
            pygame.draw.polygon(self.surface, color, points)
        for across, down, radius in CIRCLES.get(name, []):
            self.draw_disc((x + size * across, y + size * down), size * radius, color)

    def write(
        self, words: str, size: float, point: Point, color: Color = _WHITE, align: float = 0.5
    ) -> float:
        """Write words, centred vertically on a point; align 0 puts their left end there, 1 the right end.

        Returns their width.
        """
        drawn = self._font(size).render(words, True, color)
        x, y = self._point(point)
        self.surface.blit(drawn, (x - align * drawn.get_width(), y - drawn.get_height() / 2))
        return drawn.get_width() / self._scale

    def measure(self, words: str, size: float) -> float:
        return self._font(size).size(words)[0] / self._scale

    def _font(self, size: float) -> pygame.font.Font:
        pixels = max(round(size * self._scale), 1)
        if pixels not in self._fonts:
            self._fonts[pixels] = pygame.font.Font(None, pixels)
        return self._fonts[pixels]

    def _point(self, point: Point) -> Point:
        return point[0] * self._scale, point[1] * self._scale

    def _rectangle(self, corner: Point, size: Point) -> pygame.Rect:
        left, top = corner
        x, y = round(left * self._scale), round(top * self._scale)
        right, bottom = round((left + size[0]) * self._scale), round((top + size[1]) * self._scale)
        return pygame.Rect(x, y, right - x, bottom - y)


class _Painting:
    """The table of one scene, with the observer at the bottom and the others around it, clockwise."""

    def __init__(self, canvas: _Canvas, scene: Scene) -> None:
        self._canvas = canvas
        self._scene = scene
        width, height = canvas.width, canvas.height
        self._hand_top = height - _HAND_CARD[1] - 10
        self._own_plate_top = self._hand_top - _PLATE_SIZE[1] - 12
        self._center = (width / 2, (_BAR_HEIGHT + self._own_plate_top) / 2 + 28)
        self._radii = (width / 2 - 115, self._center[1] - _BAR_HEIGHT - 34)

    def draw(self) -> None:
        self._draw_room()
        self._draw_bar()
        if self._scene.phase == "over":
            self._draw_result()
        else:
            self._draw_upcard()
        if self._scene.phase == "play":
            self._draw_trick()
        first = self._scene.observer or 0
        players = len(self._scene.seats)
        self._draw_own_seat(self._scene.seats[first])
        for steps in range(1, players):
            self._draw_other_seat(self._scene.seats[(first + steps) % players], self._toward(steps))

    def _toward(self, steps: int) -> Point:
        """Return the direction from the centre to a seat, by its steps from the observer, clockwise."""
        angle = 2 * math.pi * (0.25 + steps / len(self._scene.seats))
        return math.cos(angle), math.sin(angle)

    def _draw_room(self) -> None:
        canvas = self._canvas
        canvas.surface.fill(_ROOM)
        (x, y), (across, down) = self._center, self._radii
        for inset, color in ((0, _RIM), (14, _FELT), (34, _FELT_LINE), (36, _FELT)):
            half = (across + 60 - inset, down + 20 - inset)
            canvas.draw_ellipse((x - half[0], y - half[1]), (2 * half[0], 2 * half[1]), color)

    def _draw_bar(self) -> None:
        canvas, scene = self._canvas, self._scene
        canvas.draw_box((0, 0), (canvas.width, _BAR_HEIGHT), _BAR)
        middle = _BAR_HEIGHT / 2
        where = f"Round {scene.round_number} of {scene.num_rounds}: {count_cards(scene.hand_size)} each"
        canvas.write(where, 26, (_MARGIN, middle), align=0)
        canvas.write(rules_text(scene.rules), 22, (canvas.width / 2, middle), _GREY)
        if scene.phase != "play" or not scene.trick:
            return
        right = canvas.width - _MARGIN
        if scene.led_suit is None:
            canvas.write("no suit to follow", 26, (right, middle), align=1)
            return
        canvas.draw_disc((right - 14, middle), 15, _WHITE)
        canvas.draw_sign(scene.led_suit, (right - 14, middle), 19)
        canvas.write("led suit", 26, (right - 38, middle), align=1)

    def _draw_result(self) -> None:
        winners = self._scene.winners
        points = self._scene.seats[winners[0]].score
        result = f"Seat {winners[0]} wins"
        if len(winners) > 1:
            result = f"Seats {', '.join(map(str, winners))} share the win"
        x, y = self._center
        width = self._canvas.measure(result, 42) + 52
        self._canvas.draw_box((x - width / 2, y - 68), (width, 110), _PLATE, 14, _Edge(_GOLD, 3))
        self._canvas.write(result, 42, (x, y - 30), _GOLD)
        self._canvas.write(f"with {points} points", 28, (x, y + 11))

    def _draw_upcard(self) -> None:
        canvas, scene = self._canvas, self._scene
        x, y = self._center
        if scene.upcard is not None:
            self._draw_card(scene.upcard, x - _UPCARD[0] / 2, y - _UPCARD[1] + 17, _UPCARD)
            y += 34
        if scene.trump is None:
            canvas.write("trump not named yet" if scene.phase == "trump" else "no trump", 24, (x, y))
            return
        mark = (x + canvas.write("trump", 24, (x - 12, y)) / 2 + 6, y)
        canvas.draw_disc(mark, 11.5, _WHITE)
        canvas.draw_sign(scene.trump, mark, 15)

    def _draw_trick(self) -> None:
        players = len(self._scene.seats)
        for index, (seat, card) in enumerate(self._scene.trick):
            x, y = self._toward((seat - (self._scene.observer or 0)) % players)
            left = self._center[0] + _TRICK_RADII[0] * x - _TRICK_CARD[0] / 2
            top = self._center[1] + _TRICK_RADII[1] * y - _TRICK_CARD[1] / 2
            self._draw_card(card, left, top, _TRICK_CARD, wins=index == self._scene.winning)

    def _draw_own_seat(self, seat: Seat) -> None:
        canvas = self._canvas
        self._draw_plate(seat, canvas.width / 2 - _PLATE_SIZE[0] / 2, self._own_plate_top)
        hand = seat.hand or ()
        room = canvas.width - 2 * _MARGIN - _HAND_CARD[0]
        step = min(_HAND_CARD[0] + 6, room / max(len(hand) - 1, 1))
        left = canvas.width / 2 - (step * (len(hand) - 1) + _HAND_CARD[0]) / 2
        for index, card in enumerate(hand):
            self._draw_card(card, left + step * index, self._hand_top, _HAND_CARD)

    def _draw_other_seat(self, seat: Seat, toward: Point) -> None:
        """Draw the plate of a seat and its cards below, within the picture."""
        columns = 0 if seat.hand is None else math.ceil(seat.cards_held / _CHIP_ROWS)
        width = max(_PLATE_SIZE[0], columns * _CHIP_SIZE[0])
        height = _PLATE_SIZE[1] + 8 + _CHIP_ROWS * _CHIP_SIZE[1]
        middle = self._center[0] + self._radii[0] * toward[0]
        middle = min(max(middle, _MARGIN + width / 2), self._canvas.width - _MARGIN - width / 2)
        top = self._center[1] + self._radii[1] * toward[1] - height / 2
        top = max(top, _BAR_HEIGHT + 12)
        self._draw_plate(seat, middle - _PLATE_SIZE[0] / 2, top)
        below = top + _PLATE_SIZE[1] + 8
        if seat.hand is None:
            self._draw_backs(seat.cards_held, middle, below)
        else:
            self._draw_chips(seat.hand, columns, middle, below)

    def _draw_plate(self, seat: Seat, left: float, top: float) -> None:
        """Draw a seat's name, score, tricks won and bid, and the dealer's button."""
        canvas, (width, height) = self._canvas, _PLATE_SIZE
        edge = _Edge(_GOLD, 4) if seat.acts else _Edge(_PLATE_EDGE, 2)
        canvas.draw_box((left, top), _PLATE_SIZE, _PLATE, 10, edge)
        name = f"Seat {seat.number}"
        canvas.write(name, 27, (left + 14, top + height / 2), _GOLD if seat.acts else _WHITE, align=0)
        right = left + width - 12
        color = _bid_color(seat, self._scene.phase in ("scored", "over"))
        canvas.write(f"{seat.score} points", 22, (right, top + 15), align=1)
        taken = canvas.write(f"{seat.tricks_won}/{seat.bid_text}", 26, (right, top + 36), color, 1)
        canvas.write("won/bid", 18, (right - taken - 7, top + 36), _GREY, align=1)
        if seat.deals:
            canvas.draw_disc((left, top), 14, _BAR)
            canvas.draw_disc((left, top), 12, _WHITE)
            canvas.write("D", 22, (left, top + 1), _BAR)

    def _draw_backs(self, count: int, middle: float, top: float) -> None:
        """Draw the backs of a hidden hand, and the number of its cards."""
        if count == 0:
            return
        canvas, (width, height) = self._canvas, _BACK_SIZE
        step = min(20.0, (_PLATE_SIZE[0] - 36 - width) / max(count - 1, 1))
        left = middle - (step * (count - 1) + width + 36) / 2
        for index in range(count):
            x = left + step * index
            canvas.draw_box((x, top), _BACK_SIZE, _WHITE, 4, _Edge(_CARD_EDGE, 0.6))
            canvas.draw_box((x + 2.5, top + 2.5), (width - 5, height - 5), _BACK, 2.5, _Edge(_BACK_LINE, 0.6))
        canvas.write(str(count), 28, (left + step * (count - 1) + width + 8, top + height / 2), align=0)

    def _draw_chips(self, hand: Sequence[str], columns: int, middle: float, top: float) -> None:
        """Draw a hand of small cards, in one or two rows."""
        canvas, (width, height) = self._canvas, _CHIP_SIZE
        left = middle - columns * width / 2
        for index, card in enumerate(hand):
            row, column = divmod(index, columns)
            x, y = left + width * column, top + height * row
            canvas.draw_box((x + 1, y + 1), (width - 2, height - 2), _WHITE, 4)
            sign, rank = _sign_and_rank(card)
            if rank:
                canvas.write(rank, 20, (x + 10.5, y + height / 2 + 0.5), LIGHT_COLORS[sign])
                canvas.draw_sign(sign, (x + 23.5, y + height / 2), 12)
            else:
                canvas.draw_sign(sign, (x + width / 2, y + height / 2), 19)

    def _draw_card(self, card: str, left: float, top: float, size: Point, wins: bool = False) -> None:
        canvas, (width, height) = self._canvas, size
        edge = _Edge(_GOLD, 5) if wins else _Edge(_CARD_EDGE, 1.2)
        canvas.draw_box((left, top), size, _WHITE, height * 0.09, edge)
        sign, rank = _sign_and_rank(card)
        corner = left + width * 0.23
        if rank:
            canvas.write(rank, height * 0.32, (corner, top + height * 0.17), LIGHT_COLORS[sign])
            canvas.draw_sign(sign, (corner, top + height * 0.38), height * 0.17)
            canvas.draw_sign(sign, (left + width * 0.62, top + height * 0.68), height * 0.4)
        else:
            canvas.write(card, height * 0.24, (left + width * 0.26, top + height * 0.15), LIGHT_COLORS[sign])
            canvas.draw_sign(sign, (corner, top + height * 0.36), height * 0.19)
            canvas.draw_sign(sign, (left + width * 0.6, top + height * 0.66), height * 0.46)


def _bid_color(seat: Seat, over: bool) -> Color:
    """Return the colour of the tricks won, which shows if the bid was met."""
    if seat.bid is None or (seat.tricks_won < seat.bid and not over):
        return _WHITE
    return _GREEN if seat.tricks_won == seat.bid else _RED


def _sign_and_rank(card: str) -> tuple[str, str]:
    """Return the sign and the rank of a card; the Wizard and the Jester have no rank."""
    if card in ("WI", "JE"):
        return card, ""
    rank, suit = card[0], card[1]
    return suit, "10" if rank == "T" else rank
