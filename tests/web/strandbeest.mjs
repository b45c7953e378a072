// Theo Jansen's walking linkage as a document, with any number of legs on one crank. The lengths are the inventor's.
const [a, b, c, d, e, f, g] = [0.38, 0.415, 0.393, 0.401, 0.558, 0.394, 0.367];
const [h, i, j, k, l, m] = [0.657, 0.49, 0.5, 0.619, 0.078, 0.15];

/** Returns the point at distance r from one and s from two, on the left of the line from one to two. */
function meeting(one, r, two, s) {
  const [x, y] = [two[0] - one[0], two[1] - one[1]];
  const length = Math.hypot(x, y);
  const along = (r * r - s * s + length * length) / (2 * length);
  const across = Math.sqrt(r * r - along * along);
  return [one[0] + (along * x - across * y) / length, one[1] + (along * y + across * x) / length];
}

/** Returns a bar or triangle between positions. */
function body(name, corners, side) {
  const centre = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);
  const length = Math.hypot(corners[1][0] - corners[0][0], corners[1][1] - corners[0][1]);
  const points = corners.map(([x, y], n) => ["ABC"[n], [side * (x - centre[0]), y - centre[1]]]);
  return {
    name,
    mass: length,
    inertia: length ** 3 / 12,
    points: Object.fromEntries(points),
    initial: { position: [side * centre[0], centre[1]], angle: 0 },
  };
}

function addLeg(model, leg, side, angle) {
  const crank = [side * m * Math.cos(angle), m * Math.sin(angle)];
  const fixed = [-a, -l];
  const [top, low] = [meeting(fixed, b, crank, j), meeting(crank, k, fixed, c)];
  const knee = meeting(fixed, d, top, e);
  const ankle = meeting(low, g, knee, f);
  const corners = {
    j: [crank, top],
    k: [crank, low],
    upper: [fixed, top, knee],
    c: [fixed, low],
    f: [knee, ankle],
    lower: [low, ankle, meeting(low, i, ankle, h)],
  };
  for (const [name, places] of Object.entries(corners)) model.bodies.push(body(name + leg, places, side));
  model.bodies[0].points[`P${leg}`] = [side * crank[0], crank[1]];
  const ground = `ground.${side > 0 ? "left" : "right"}`;
  const onCrank = `crank.P${leg}`;
  const pins = [[onCrank, "j.A"], [onCrank, "k.A"], [ground, "upper.A"], [ground, "c.A"], ["j.B", "upper.B"]];
  pins.push(["k.B", "c.B"], ["c.B", "lower.A"], ["upper.C", "f.A"], ["f.B", "lower.B"]);
  const ofLeg = (point) => (/^(crank|ground)/.test(point) ? point : point.replace(".", `${leg}.`));
  pins.forEach((points, n) =>
    model.joints.push({ name: `leg${leg}_${n}`, type: "revolute", points: points.map(ofLeg) }),
  );
}

export function strandbeest(legs) {
  const model = {
    name: "Strandbeest",
    space: "planar",
    gravity: [0, -9.81],
    ground: { points: { O: [0, 0], left: [-a, -l], right: [a, -l] } },
    bodies: [{ name: "crank", mass: 1, inertia: 0.01, points: { O: [0, 0] } }],
    joints: [{ name: "shaft", type: "revolute", points: ["ground.O", "crank.O"] }],
  };
  for (let n = 0; n < legs; n++) addLeg(model, n + 1, n % 2 ? -1 : 1, (2 * Math.PI * n) / legs);
  return JSON.stringify(model, null, 1);
}
