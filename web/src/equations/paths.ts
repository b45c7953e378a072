// Paths in the tree from the ground to a body.
import type { Path } from "./marks";
import type { Axis, Branch } from "./types";

function toBody(tree: Branch[], body: string): Path {
  const path: Path = { bodies: [], joints: [] };
  let at = tree.find((branch) => branch.body === body);
  while (at && !path.bodies.includes(at.body)) {
    path.bodies.unshift(at.body);
    if (at.joint !== undefined) path.joints.unshift(at.joint);
    const { on } = at;
    at = tree.find((branch) => branch.body === on);
  }
  return path;
}

/** Returns the path that a block describes: from the ground to the bodies of its row, if it contains the column's
 * joint; for M the joints that move both. The path of a cut includes its joint. */
export function pathOf(tree: Branch[], row: Axis, column: Axis | undefined): Path {
  const ways = (row.bodies ?? []).map((body) => toBody(tree, body));
  const carried = column?.bodies?.[0];
  const over = ways.filter(({ bodies }) => carried === undefined || bodies.includes(carried));
  const other = carried === undefined || over.length > 0 ? [] : [toBody(tree, carried)];
  const used = [...(over.length > 0 ? over : ways), ...other];
  const joints = used.flatMap((way) => way.joints);
  if (row.element !== undefined) joints.push(row.element);
  return { bodies: [...new Set(used.flatMap((way) => way.bodies))], joints: [...new Set(joints)] };
}
