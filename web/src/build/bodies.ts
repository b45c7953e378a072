// Tools that draw bodies: bars, plates and wheels. The axes of a body are parallel to the global ones, so that angles
// and joint coordinates are zero in the drawn position.
import { buildTexts, toolTexts } from "../app/texts";
import { minus, type Pair } from "../drawing/geometry";
import { ofCircle, ofLine, ofPolygon, PER_AREA, PER_METRE, significant, type Mass } from "./mass";
import { rounded } from "./snapping";
import { Refusal, type Made, type Site, type Spot, type Tool } from "./tool";

/** Adds a body with a point at each of some positions. `shapes` converts positions in the body's axes to shapes. */
export function addBody(
  { draft, view }: Site,
  { centre, mass, inertia }: Mass,
  places: Pair[],
  shapes: (locals: Pair[]) => object[],
  density: string,
  stem = "body",
): Made {
  if (!(mass > 0 && inertia > 0)) throw new Refusal(buildTexts.noSize);
  const position = rounded(centre, view.camera);
  const locals = places.map((place) => rounded(minus(place, position), view.camera));
  const name = draft.freeName(stem);
  const letter = (i: number): string => (i < 26 ? String.fromCharCode(65 + i) : `P${i + 1}`);
  const kilograms = significant(mass);
  const index = draft.add("bodies", {
    name,
    mass: kilograms,
    inertia: significant(inertia),
    points: Object.fromEntries(locals.map((local, i) => [letter(i), local])),
    initial: { position },
    shapes: shapes(locals),
  });
  return { kind: "bodies", index, note: buildTexts.newBody(name, kilograms, density) };
}

function placesOf(spots: Spot[]): Pair[] {
  return spots.map(({ place }) => place);
}

const link: Tool = {
  ...toolTexts.link,
  fewest: 2,
  most: 2,
  drag: "all",
  outline: "line",
  make(spots, site) {
    const bar = ([from, to]: Pair[]): object[] => [{ type: "line", from, to }];
    const places = placesOf(spots);
    return addBody(site, ofLine(places), places, bar, buildTexts.perMetre(PER_METRE));
  },
};

const plate: Tool = {
  ...toolTexts.plate,
  fewest: 3,
  most: Infinity,
  drag: "first",
  outline: "polygon",
  make(spots, site) {
    const sheet = (points: Pair[]): object[] => [{ type: "polygon", points }];
    const places = placesOf(spots);
    return addBody(site, ofPolygon(places), places, sheet, buildTexts.perArea(PER_AREA));
  },
};

const wheel: Tool = {
  ...toolTexts.wheel,
  fewest: 2,
  most: 2,
  drag: "all",
  outline: "circle",
  make(spots, site) {
    const [centre, rim] = placesOf(spots) as [Pair, Pair];
    const [radius] = rounded([Math.hypot(...minus(rim, centre)), 0], site.view.camera);
    const circle = (): object[] => [{ type: "circle", radius }];
    return addBody(site, ofCircle(centre, radius), [centre], circle, buildTexts.perArea(PER_AREA));
  },
};

export const BODY_TOOLS = [link, plate, wheel];
