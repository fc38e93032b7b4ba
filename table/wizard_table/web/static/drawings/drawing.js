// Drawings as SVG elements; screen readers pass over them.
const SVG = "http://www.w3.org/2000/svg";

export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const drawing = (name, viewBox, ...children) =>
  draw("svg", { class: name, viewBox, "aria-hidden": "true", focusable: "false" }, ...children);

export const path = (d, name = "", transform = "") =>
  draw("path", { d, ...(name && { class: name }), ...(transform && { transform }) });
