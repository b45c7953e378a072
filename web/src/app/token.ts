// The token for a service that requires one. The browser tab stores it until it is closed. Only scripts of this page
// send it, so links from other sites cannot use it.
import { h } from "./dom";
import { serviceTexts } from "./texts";

/** Returns the storage key of the token, which includes the path: services on one site have separate tokens. */
function place(): string {
  return `mbsd-token ${new URL(".", document.baseURI).pathname}`;
}

/** Returns the token; "" if there is none. */
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

/** Asks the user for a token, once for all concurrent requests. `sent` is the token that the service rejected.
 * Returns true if there is another token. */
export async function requestToken(sent: string): Promise<boolean> {
  if (token() !== sent && token() !== "") return true;
  pending ??= showDialog(sent !== "").finally(() => (pending = undefined));
  return pending;
}
