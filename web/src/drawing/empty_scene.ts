// The scene of a planar document without bodies, which the solver cannot open. The user can build in it.
import { modelIn } from "../document/elements";
import { asFields, asList } from "../document/fields";
import type { Opened } from "../solver/solver_session";

function rangeOf(value: unknown): [number, number] | undefined {
  const [from, to] = asList(value);
  return typeof from === "number" && typeof to === "number" ? [from, to] : undefined;
}

/** Returns the scene of such a document; undefined if it has bodies or is not planar. */
export function emptyMechanism(text: string): Opened | undefined {
  const { space, bodies, view } = modelIn(text)?.model ?? {};
  if (space !== "planar" || !Array.isArray(bodies) || bodies.length > 0) return undefined;
  const { x, y } = asFields(view);
  return {
    scene: {
      dimension: 2,
      bodies: [{ name: "ground", shapes: [] }],
      points: [],
      vectors: [],
      joints: [],
      forces: [],
      view: { x: rangeOf(x), y: rangeOf(y) },
    },
    freedoms: 0,
    velocityFreedoms: 0,
    mobility: 0,
    redundant: [],
    numbers: new Float64Array(0),
    time: 0,
    readings: {},
  };
}
