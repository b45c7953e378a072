// Building by hand, as far as the page has it from the start: a new document, the tools when they are wanted, and the
// element that is selected taken away.
import { byId } from "../app/dom";
import { errorText } from "../app/format";
import type { Change } from "../document/pointer";
import type { Player } from "../drawing/animation";
import type { PointerHandler } from "../interaction/drag";
import type { View } from "../interaction/picking";
import { select, selected, type Selected } from "../interaction/selection";
import type { Builder } from "./builder";

/** A document without anything. */
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

/** The page that something is built in. */
export interface BuildPage {
  player: Player;
  text(): string;
  /** Changes the text, as one change that the user can undo. */
  change(change: Change): void;
  /** Takes a change back (-1), or makes it again (1). */
  undo(direction: -1 | 1): Promise<void>;
  /** Throws the mistakes of a document. */
  validate(text: string): Promise<unknown>;
  /** The document's mechanism in the drawing; undefined: none could be drawn yet. */
  view(): View | undefined;
  /** The drawing is of the document as it is. */
  settled(): Promise<void>;
  /** Shows the document's mechanism in the place of a result's motion. */
  moveByHand(): void;
  /** What presses on the drawing mean; undefined: what they mean without a tool. */
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
      const element = page.view() && selected();
      if ((key === "Delete" || key === "Backspace") && element && !this.button.hidden) void this.remove(element);
    });
  }

  static get nothing(): string {
    return NOTHING;
  }

  /** Shows the tools, or puts them away. */
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

  /** Puts the tools away when a result's motion takes the drawing. */
  hide(): void {
    if (this.button.ariaPressed === "true") void this.show(false);
  }

  /** The drawing is of another document. */
  onSceneChange(): void {
    void this.builder?.then((builder) => builder.onSceneChange());
  }

  /** Takes an element out of the document, with all that refers to it where the user wants that. */
  async remove(element: Selected): Promise<void> {
    const { removalOf } = await import("./removal");
    const change = await removalOf(this.page.text(), element);
    if (!change) return;
    select(undefined);
    this.page.change(change);
  }

  private async load(): Promise<Builder> {
    const { Builder } = await import("./builder");
    return new Builder(this.page);
  }
}
