// Tabs that show one panel at a time: chosen by click, arrow keys, Home and End (WAI-ARIA "tabs" with automatic
// activation). A reload restores the chosen tab.

/** Returns the key under which the browser session stores the chosen tab. */
function storageKey(list: HTMLElement): string {
  return `mbsd.${list.id}`;
}

export class Tabs {
  private readonly tabs: HTMLButtonElement[];

  /** Uses the buttons of a `role="tablist"`. Calls `onShow` with the id of the panel whenever another panel is
   * shown. */
  constructor(
    private readonly list: HTMLElement,
    private readonly onShow: (panel: string) => void = () => undefined,
  ) {
    this.tabs = [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')];
    list.addEventListener("click", (event) => {
      const tab = this.tabs.find((each) => each.contains(event.target as Node));
      if (tab) this.choose(tab);
    });
    list.addEventListener("keydown", (event) => this.onKey(event));
    const kept = sessionStorage.getItem(storageKey(list));
    const first = this.tabs.find((tab) => this.panelOf(tab)?.id === kept) ?? this.tabs[0];
    if (first) this.choose(first);
  }

  /** Shows the panel with this id. */
  show(panel: string): void {
    const tab = this.tabs.find((each) => this.panelOf(each)?.id === panel);
    if (tab && !this.isChosen(tab)) this.choose(tab);
  }

  private panelOf(tab: HTMLButtonElement): HTMLElement | null {
    return document.getElementById(tab.getAttribute("aria-controls") ?? "");
  }

  private isChosen(tab: HTMLButtonElement): boolean {
    return tab.getAttribute("aria-selected") === "true";
  }

  private choose(chosen: HTMLButtonElement): void {
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      const panel = this.panelOf(tab);
      if (panel) panel.hidden = tab !== chosen;
    }
    const { id = "" } = this.panelOf(chosen) ?? {};
    sessionStorage.setItem(storageKey(this.list), id);
    this.onShow(id);
  }

  private onKey(event: KeyboardEvent): void {
    const count = this.tabs.length;
    const now = this.tabs.findIndex((tab) => this.isChosen(tab));
    const targets: Record<string, number> = {
      ArrowLeft: (now + count - 1) % count,
      ArrowRight: (now + 1) % count,
      Home: 0,
      End: count - 1,
    };
    const target = this.tabs[targets[event.key] ?? -1];
    if (!target) return;
    event.preventDefault();
    this.choose(target);
    target.focus();
  }
}
