// The tool for sliding connections: a pin in a slot, a block on a rail, or a straight guide. The first two let the rod
// rotate at the position; if there is no block yet, the tool creates it with its pin.
import { buildTexts, elementTexts, toolTexts } from "../app/texts";
import { minus, type Pair } from "../drawing/geometry";
import { GROUND } from "../drawing/scene";
import type { View } from "../interaction/picking";
import { addBody } from "./bodies";
import type { Class } from "./classes";
import {
  barDirection,
  groupsAt,
  pairingOf,
  previewOf,
  toolOf,
  vectorOf,
  waysOf,
  type Pairing,
} from "./elements";
import { ofPolygon, PER_AREA } from "./mass";
import { rounded, snapStep } from "./snapping";
import { FIRST_PICK, nameIn, pointAt, Refusal, spotAt, type Made, type Pick, type Site, type Spot, type Tool } from "./tool";

/** Half the length and half the height of a new block, in steps of the grid. */
const BLOCK: Pair = [1, 0.6];

/** Returns true if a body is drawn as an area, not as bars. */
function isBlock(body: number, { scene }: View): boolean {
  return scene.bodies[body]?.shapes.some(({ type }) => type !== "line") ?? false;
}

/** The sliding body at a position, and the body that carries it. */
interface Guided {
  pairing: Pairing;
  carrier: number;
  /** Undefined if the block must be created, with a pin on `rod`. */
  block?: number;
  rod: number;
}

/** Finds the block: the sliding body itself, or one that joints connect to it at the position. */
function guidedAt(rail: Class, spots: Spot[], view: View, pick: Pick): Guided {
  const [spot] = spots as [Spot];
  const pairing = pairingOf(rail, spots, view, pick);
  const [carrier, rod] = pairing.bodies;
  const groups = groupsAt(spot, view);
  const joined = spot.bodies.filter((body) => body !== carrier && groups.get(body) === groups.get(rod));
  const block = [rod, ...joined].find((body) => isBlock(body, view));
  return { pairing, carrier, rod, block };
}

function describe({ carrier, rod, block }: Guided, view: View): string {
  const name = block === undefined ? elementTexts.newBlock(nameIn(view, rod)) : elementTexts.block(nameIn(view, block));
  return elementTexts.onRail(name, nameIn(view, carrier));
}

/** Adds a block around a position, aligned with a direction, and its pin on a body. Returns its references. */
function addBlock(rod: number, spot: Spot, [x, y]: Pair, site: Site): { point: string; vector: string; name: string } {
  if (rod === GROUND) throw new Refusal(elementTexts.noSlidingBody);
  const { draft, view } = site;
  const step = snapStep(view.camera);
  const [length, height] = BLOCK.map((part) => part * step) as Pair;
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i = 0, j = 0]) =>
    rounded([i * length * x - j * height * y, i * length * y + j * height * x], view.camera),
  );
  const placed = corners.map(([u, v]): Pair => [u + spot.place[0], v + spot.place[1]]);
  const mass = { ...ofPolygon(placed), centre: spot.place };
  const { index } = addBody(site, mass, [spot.place], () => [{ type: "polygon", points: corners }], "", "block");
  const name = draft.nameOf(index);
  const pin = { name: draft.freeName("pin"), type: "revolute", points: [pointAt(rod, spot, site), `${name}.A`] };
  draft.add("joints", pin);
  return { point: `${name}.A`, vector: draft.addVector(index, [x, y]), name };
}

function makeOnRail(rail: Class, spots: Spot[], site: Site, pick: Pick): Made {
  const { draft, view } = site;
  const [spot, end] = spots as [Spot, Spot?];
  const guided = guidedAt(rail, spots, view, pick);
  const { carrier, rod, block, pairing } = guided;
  const way: Pair = end ? (minus(end.place, spot.place) as Pair) : (barDirection([carrier], spot, view) ?? [1, 0]);
  const size = Math.hypot(...way) || 1;
  const direction = way.map((x) => Number((x / size).toFixed(7)) + 0) as Pair;
  const made = block === undefined ? addBlock(rod, spot, direction, site) : undefined;
  const slides = made ?? {
    point: pointAt(block as number, spot, site),
    vector: vectorOf(block as number, direction, site),
    name: draft.nameOf(block as number),
  };
  const name = draft.freeName("slider");
  const index = draft.add("joints", {
    name,
    type: rail.type,
    points: [pointAt(carrier, spot, site), slides.point],
    vectors: [vectorOf(carrier, direction, site), slides.vector],
  });
  const ways = waysOf(pairing, pick, carrier !== GROUND, (other) => describe(guidedAt(rail, spots, view, other), view));
  const massNote = made ? `; ${slides.name}: ${buildTexts.perArea(PER_AREA)}` : "";
  return { kind: "joints", index, note: `${name}: ${elementTexts.onRail(slides.name, draft.nameOf(carrier))}${massNote}`, ways };
}

/** Returns the tool, which asks for one of its kinds. `slot` and `rail`: the classes that they create. */
export function sliderTool(slot: Class, rail: Class): Tool | undefined {
  const plain = toolOf(slot, toolTexts.slider.name, "slot");
  const guide = toolOf(rail, toolTexts.guide.name, "guide");
  if (!plain || !guide) return undefined;
  const kinds: Tool[] = [
    { ...plain, ...toolTexts.slot },
    {
      ...plain,
      ...toolTexts.rail,
      make: (spots, site, pick) => makeOnRail(rail, spots, site, pick),
      preview: (places, view) => {
        const spots = places.map((place) => spotAt(place, view));
        if (previewOf(rail, places, view) === undefined) return undefined;
        return describe(guidedAt(rail, spots, view, FIRST_PICK), view);
      },
    },
    { ...guide, ...toolTexts.guide },
  ];
  return { ...plain, title: toolTexts.slider.title, kinds, preview: undefined };
}
