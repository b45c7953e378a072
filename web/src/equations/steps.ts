// The steps of the derivation: the matrices and the text of each step.
import type { MatrixName } from "./types";

export interface Step {
  /** Short name for its button. */
  name: string;
  title: string;
  matrices: MatrixName[];
  /** Text for joint coordinates; `body` replaces it for body coordinates. */
  text: string;
  body?: string;
}

export const STEPS: Step[] = [
  { name: "Bodies", title: "Bodies and coordinates", matrices: [], text: "" },
  {
    name: "B",
    title: "Tree and B",
    matrices: ["B"],
    text: "V = B θ′: column j gives the velocity of each body per unit rate of joint j. It is zero if the joint is not on the path from the body to the ground.",
    body: "Every body has its own coordinates, so B is the identity.",
  },
  {
    name: "Ḃ",
    title: "Rates: Ḃ θ′",
    matrices: ["Bdot_thetad"],
    text: "V′ = B θ″ + Ḃ θ′: the second term is the acceleration of the bodies if no joint accelerates. A vector fixed in the ground has zero rate.",
  },
  {
    name: "D, C",
    title: "Cuts and drivers: D and C",
    matrices: ["C", "D", "Jac_p"],
    text: "Each loop is cut at a joint. Its constraints are D V = rhsV in body velocities, and C θ′ = rhsV with C = D B in joint rates.",
    body: "Each joint is a constraint between two bodies: D V = rhsV, and C equals D.",
  },
  {
    name: "rhs",
    title: "Right-hand sides",
    matrices: ["rhsV", "rhsA"],
    text: "C θ′ = rhsV; its time derivative is C θ″ = rhsA with rhsA = γ − D Ḃ θ′.",
  },
  {
    name: "M, h",
    title: "Masses and forces: M and h",
    matrices: ["M", "h"],
    text: "M = Bᵀ Mb B and h = Bᵀ (hb − Mb Ḃ θ′): each entry is a sum over the bodies that both joints move.",
  },
  { name: "System", title: "System of equations", matrices: [], text: "" },
];
