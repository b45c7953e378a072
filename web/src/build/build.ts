// The part of the drawing tools that is loaded with the page: new documents, showing the tools, and deleting the
// selected element.
import { byId } from "../app/dom";
import { errorText } from "../app/format";
import type { Change } from "../document/pointer";
import type { Player } from "../drawing/animation";
import type { PointerHandler } from "../interaction/drag";
import type { View } from "../interaction/picking";
import { allSelected, select, type Selected } from "../interaction/selection";
import type { Failure } from "../solver/solver_session";
import type { Builder } from "./builder";

/** An empty document. */
const NOTHING = `{
  "name": "New mechanism",
  "space": "planar",
  "gravity": [0, -9.81],
  "ground": { "points": {} },
  "bodies": [],
  "joints": [],
  "forces": [],
  "drivers": [],
  "analysis": { "type": "dynamics", "t_end": 5, "dt": 0.02 },
  "view": { "x": [-1, 1], "y": [-0.6, 0.6] }
}
`;

/** A document in space with its first body, to which others are added in the tree. */
const IN_SPACE = `{
  "name": "New mechanism in space",
  "space": "spatial",
  "gravity": [0, 0, -9.81],
  "ground": { "points": { "A": [0, 0, 0] } },
  "bodies": [
    { "name": "body1", "mass": 1, "inertia": [0.001667, 0.01417, 0.01417],
      "points": { "A": [-0.2, 0, 0], "B": [0.2, 0, 0] }, "initial": { "position": [0.2, 0, 0] },
      "shapes": [{ "type": "box", "size": [0.4, 0.1, 0.1] }] }
  ],
  "joints": [],
  "forces": [],
  "drivers": [],
  "analysis": { "type": "dynamics", "t_end": 5, "dt": 0.02 }
}
`;

/** Access of the tools to the page. */
export interface BuildPage {
  player: Player;
  text(): string;
  /** Changes the text as one change, which the user can undo. */
  change(change: Change): void;
  /** Undoes a change (-1) or redoes it (1). */
  undo(direction: -1 | 1): Promise<void>;
  /** Validates a document; rejects if it has errors. */
  validate(text: string): Promise<unknown>;
  /** The view of the document's mechanism; undefined if none has been drawn yet. */
  view(): View | undefined;
  /** Resolves when the drawing shows the current document. */
  settled(): Promise<void>;
  /** The number of degrees of freedom of the document's mechanism; undefined if it is not known. */
  freedoms(): number | undefined;
  /** Returns why a run of a document in the browser fails; undefined if it does not, or if that is not known. */
  failure(text: string): Promise<Failure | undefined>;
  isPlaying(): boolean;
  /** True if the mechanism was moved from the position that the document defines. */
  isMoved(): boolean;
  /** Draws the path of a point, such as "coupler.P". */
  tracePoint(name: string): void;
  /** Stops the motion. The next document starts in the position that it defines. */
  begin(): void;
  /** Shows the document's mechanism instead of the motion of a result. */
  moveByHand(): void;
  /** Sets the handler of presses on the drawing; undefined restores dragging. */
  useHandler(handler: PointerHandler | undefined): void;
}

export class Build {
  private readonly button = byId("build-on", HTMLButtonElement);
  private builder: Promise<Builder> | undefined;

  constructor(private readonly page: BuildPage) {
    this.button.addEventListener("click", () => {
      page.moveByHand();
      void this.show(this.button.ariaPressed !== "true");
    });
    byId("canvas", HTMLCanvasElement).addEventListener("keydown", ({ key }) => {
      const elements = page.view() ? allSelected() : [];
      if ((key === "Delete" || key === "Backspace") && elements.length > 0 && !this.button.hidden) void this.remove(elements);
    });
  }

  static get nothing(): string {
    return NOTHING;
  }

  static get inSpace(): string {
    return IN_SPACE;
  }

  /** Shows or hides the tools. */
  async show(on: boolean): Promise<void> {
    this.button.ariaPressed = String(on);
    byId("result", HTMLElement).classList.toggle("building", on);
    this.builder ??= this.load();
    try {
      await (await this.builder).show(on);
    } catch (error) {
      this.builder = undefined;
      const host = byId("build", HTMLDivElement);
      host.hidden = false;
      host.textContent = errorText(error);
    }
  }

  /** Hides the tools when the motion of a result or a study is shown. */
  hide(): void {
    if (this.button.ariaPressed === "true") void this.show(false);
  }

  /** Ends the tool, so that clicks select elements again. */
  leaveTool(): void {
    void this.builder?.then((builder) => builder.leaveTool());
  }

  /** Called when the drawing shows another document. */
  onSceneChange(): void {
    void this.builder?.then((builder) => builder.onSceneChange());
  }

  /** Deletes elements, after the user has confirmed to delete the elements that refer to them. */
  async remove(elements: Selected[]): Promise<void> {
    const { removalOf } = await import("./removal");
    const change = await removalOf(this.page.text(), elements);
    if (!change) return;
    select(undefined);
    this.page.change(change);
  }

  private async load(): Promise<Builder> {
    const { Builder } = await import("./builder");
    return new Builder(this.page);
  }
}
