// The token of a service that lets only those in who have one. The tab keeps it until it is closed; nothing is sent
// unless a script of the page does, so a link of another site is no use to anybody.
import { h } from "./dom";
import { serviceTexts } from "./texts";

/** Where it is kept: of services behind paths of one site each has its own. */
function place(): string {
  return `mbsd-token ${new URL(".", document.baseURI).pathname}`;
}

/** "" where there is none. */
export function token(): string {
  return sessionStorage.getItem(place()) ?? "";
}

let pending: Promise<boolean> | undefined;

function showDialog(refused: boolean): Promise<boolean> {
  const input = h("input", { type: "password", autocomplete: "current-password", required: true, id: "token" });
  const cancel = h("button", { type: "button" }, serviceTexts.cancel);
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", {}, serviceTexts.token),
    h(
      "p",
      {},
      refused
        ? serviceTexts.tokenRefused
        : serviceTexts.tokenNeeded,
    ),
    h("p", {}, h("label", {}, `${serviceTexts.token} `, input)),
    h("p", { className: "tools" }, h("button", { type: "submit", className: "primary" }, serviceTexts.signIn), " ", cancel),
  );
  const dialog = h("dialog", {}, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    cancel.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", () => sessionStorage.setItem(place(), input.value.trim()));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(token() !== "");
    });
    if (refused) sessionStorage.removeItem(place());
    dialog.showModal();
  });
}

/** Asks for a token, once for all requests that want one; `sent` is what the request had. Whether there is another. */
export async function requestToken(sent: string): Promise<boolean> {
  if (token() !== sent && token() !== "") return true;
  pending ??= showDialog(sent !== "").finally(() => (pending = undefined));
  return pending;
}
