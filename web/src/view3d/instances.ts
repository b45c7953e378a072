// Draws any number of equal solids with one draw call for each geometry.
import { Color, InstancedMesh, Matrix4, type BufferGeometry, type Material } from "three";
import type { Solid } from "./solids";

/** The solids that share one geometry. */
interface Carried {
  mesh: InstancedMesh;
  solids: Solid[];
}

export class Instances {
  private readonly all: Carried[];
  private readonly scratch = new Matrix4();

  constructor(solids: Solid[], material: Material) {
    const byForm = new Map<BufferGeometry, Solid[]>();
    for (const solid of solids) {
      const alike = byForm.get(solid.form);
      if (alike) alike.push(solid);
      else byForm.set(solid.form, [solid]);
    }
    const colour = new Color();
    this.all = [...byForm].map(([form, alike]) => {
      const mesh = new InstancedMesh(form, material, alike.length);
      alike.forEach((solid, i) => mesh.setColorAt(i, colour.set(solid.colour)));
      // The bounds that three.js knows are those of the start.
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = true;
      return { mesh, solids: alike };
    });
  }

  get meshes(): InstancedMesh[] {
    return this.all.map(({ mesh }) => mesh);
  }

  /** Moves all solids to the current placement of their carriers. */
  follow(placeOf: (carrier: number) => Matrix4): void {
    for (const { mesh, solids } of this.all) {
      const { array } = mesh.instanceMatrix;
      solids.forEach(({ carrier, place }, i) =>
        this.scratch.multiplyMatrices(placeOf(carrier), place).toArray(array, 16 * i),
      );
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
