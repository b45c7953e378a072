// The derivation, step by step: which matrices a step shows, and what it says of them.
import type { MatrixName } from "./types";

export interface Step {
  title: string;
  matrices: MatrixName[];
  /** In joint coordinates; body coordinates have their own words where these differ. */
  text: string;
  body?: string;
}

export const STEPS: Step[] = [
  { title: "Bodies and coordinates", matrices: [], text: "" },
  {
    title: "Tree and B",
    matrices: ["B"],
    text: "V = B θ′: column j is what joint j does to each body. It is zero where the joint is not on the way from the body to the ground.",
    body: "Every body floats by itself, so that B is the identity.",
  },
  {
    title: "Rates: Ḃ θ′",
    matrices: ["Bdot_thetad"],
    text: "V′ = B θ″ + Ḃ θ′: what the bodies accelerate by where no joint does. A vector that is fixed in the ground has no rate.",
  },
  {
    title: "Cuts and drivers: D and C",
    matrices: ["C", "D", "Jac_p"],
    text: "Each loop is cut at a joint, whose constraints say D V = rhsV over the bodies, and over the joints C θ′ = rhsV with C = D B.",
    body: "Each joint is a constraint between two bodies: D V = rhsV, and C is the same.",
  },
  {
    title: "Right-hand sides",
    matrices: ["rhsV", "rhsA"],
    text: "C θ′ = rhsV, and differentiated once more C θ″ = rhsA with rhsA = γ − D Ḃ θ′.",
  },
  {
    title: "Masses and forces: M and h",
    matrices: ["M", "h"],
    text: "M = B′ Mb B and h = B′ (hb − Mb Ḃ θ′): a sum over the bodies that both joints move.",
  },
  { title: "What is solved", matrices: [], text: "" },
];
