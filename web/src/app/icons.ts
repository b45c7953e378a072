// Icons of the drawing tools and display options: outlines in a square of 20 units. Joints are drawn as in ISO 3952.

const ICONS: Record<string, string> = {
  Select: "M5 3v13l3.5-3 2.2 4.5 2-1-2.2-4.4H15z",
  Link: "M5 15 15 5M5 13.2a1.8 1.8 0 1 0 .01 0zM15 3.2a1.8 1.8 0 1 0 .01 0z",
  Plate: "M3 16 8 4l9 9z",
  Wheel: "M10 3a7 7 0 1 0 .01 0zM10 9a1 1 0 1 0 .01 0zM10 10h7",
  Pin: "M10 3.5a2.5 2.5 0 1 0 .01 0zM8.7 8.2 5 14h10l-3.7-5.8M3 14h14M5 17l2-3M9 17l2-3M13 17l2-3",
  Slider: "M2 14h16M4 17l2-3M9 17l2-3M14 17l2-3M6 6h8v6H6zM10 8a1 1 0 1 0 .01 0z",
  Fixed: "M10 3v9M4 12h12M4 16l2.5-4M8.5 16l2.5-4M13 16l2.5-4",
  Gear: "M7 6.5a4 4 0 1 0 .01 0zM15.5 6.5a2.5 2.5 0 1 0 .01 0zM7 4v2.5M3.5 5.7 5 7.2M2 10.5h1M3.5 15.3 5 13.8M7 17v-2.5M11 10.5h2",
  Cam: "M8 7a4.5 4.5 0 1 0 4.4 5.5C12.8 9.6 11 7 8 7zM9 11a1 1 0 1 0 .01 0zM9 2v5M6.5 7H12",
  Spring: "M10 2v2l4 1.5-8 2.5 8 2.5-8 2.5 8 2.5-4 1v2",
  Driver: "M15.5 6.5A6.5 6.5 0 1 0 16.5 10M16.5 3v4h-4M10 9a1 1 0 1 0 .01 0z",
  Force: "M4 16 15 5M8.5 4.5H15.5V11.5",
  Contact: "M2 16h16M9.5 5a5.5 5.5 0 1 0 .01 0z",
  "Four-bar": "M3 15 6 7 14 4 17 15M3 15h14M3 13.7a1.3 1.3 0 1 0 .01 0zM17 13.7a1.3 1.3 0 1 0 .01 0zM10 5.5 11.5 9z",
  Copy: "M7 7h10v10H7zM13 7V3H3v10h4",
  Mirror: "M10 2v16M8 5v10H2zM12 5v10h6z",
  Snap: "M5 3v7a5 5 0 0 0 10 0V3h-3v7a2 2 0 0 1-4 0V3zM5 6h3M12 6h3",
  Photo: "M2 4h16v12H2zM2 14l5-5 4 4 3-3 4 4M13.5 6a1.2 1.2 0 1 0 .01 0z",
  Undo: "M7 4 3 8l4 4M3 8h9a5 5 0 0 1 0 9H7",
  Redo: "M13 4l4 4-4 4M17 8H8a5 5 0 0 0 0 9h5",
  Labels: "M3 15 7 5l4 10M4.5 12h5M13 15V9h2.5a1.7 1.7 0 0 1 0 3H13h3a1.5 1.5 0 0 1 0 3z",
  "Mass centres": "M10 3a7 7 0 1 0 .01 0zM10 3v14M3 10h14M10 4l5 5M10 16l-5-5",
  Trace: "M3 14c2-9 5-9 7-4s5 5 7-4M17 6a.8.8 0 1 0 .01 0z",
  Velocities: "M3 10h13M11.5 5.5 16 10l-4.5 4.5",
  Accelerations: "M2 10h14M8 5.5 12.5 10 8 14.5M12 5.5l4.5 4.5-4.5 4.5",
  Forces: "M10 3v9M5.5 8 10 12.5 14.5 8M3 16h14",
  "Instant centres": "M10 6a4 4 0 1 0 .01 0zM10 2v16M2 10h16",
  "Edit points": "M4 16V9h4v7zM12 11V4h4v7zM8 12.5l4-5",
};

/** Creates the icon of a tool; undefined if it has none. */
export function iconOf(name: string): SVGElement | undefined {
  const outline = ICONS[name];
  if (outline === undefined) return undefined;
  const SVG = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(SVG, "svg");
  icon.setAttribute("viewBox", "0 0 20 20");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", outline);
  icon.append(path);
  return icon;
}
