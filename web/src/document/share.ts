// Links that contain a whole compressed model in their fragment, which browsers do not send to servers.
import { pageTexts } from "../app/texts";

/** The name of the fragment's parameter. */
const NAME = "model";

/** Maximum length of a model in a link [characters], so that a link cannot fill the browser's memory. */
const LARGEST = 4_000_000;

/** Encodes bytes in the Base64 alphabet for addresses (RFC 4648, section 5), without padding. */
function toBase64(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

/** Returns an address of this page that opens a document in its editor. */
export async function linkTo(document: string): Promise<string> {
  const packed = new Blob([document]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const address = new URL(location.href);
  address.hash = new URLSearchParams({ [NAME]: toBase64(bytes) }).toString();
  return address.href;
}

/** Reads a stream of text up to a maximum length. */
async function readText(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > LARGEST) throw new Error(pageTexts.linkTooLong);
  }
  return text;
}

/** Returns the document in the page's address; undefined if it has none. Fails if the link is incomplete or changed. */
export function linkedDocument(): Promise<string> | undefined {
  const packed = new URLSearchParams(location.hash.slice(1)).get(NAME);
  return packed === null ? undefined : unpack(packed);
}

async function unpack(packed: string): Promise<string> {
  try {
    const bytes = new Blob([fromBase64(packed)]).stream();
    return await readText(bytes.pipeThrough(new DecompressionStream("deflate-raw")));
  } catch (error) {
    throw new Error(pageTexts.linkBroken, { cause: error });
  }
}
