// Links that hold a whole model, compressed, in their fragment: nothing of it is sent anywhere.
import { pageTexts } from "../app/texts";

/** The fragment's parameter. */
const NAME = "model";

/** A model may be no larger than this [characters]: a link is no way to fill a browser's memory. */
const LARGEST = 4_000_000;

/** Base64 as addresses have it (RFC 4648, section 5), without padding. */
function toBase64(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

/** An address of this page that opens with a document in its editor. */
export async function linkTo(document: string): Promise<string> {
  const packed = new Blob([document]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const address = new URL(location.href);
  address.hash = new URLSearchParams({ [NAME]: toBase64(bytes) }).toString();
  return address.href;
}

/** Reads a stream of text up to a length. */
async function readText(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > LARGEST) throw new Error(pageTexts.linkTooLong);
  }
  return text;
}

/** The document that the address of the page holds, if any. Fails where it was cut or changed on its way. */
export async function linkedDocument(): Promise<string | undefined> {
  const packed = new URLSearchParams(location.hash.slice(1)).get(NAME);
  if (packed === null) return undefined;
  try {
    const bytes = new Blob([fromBase64(packed)]).stream();
    return await readText(bytes.pipeThrough(new DecompressionStream("deflate-raw")));
  } catch (error) {
    throw new Error(pageTexts.linkBroken, { cause: error });
  }
}
