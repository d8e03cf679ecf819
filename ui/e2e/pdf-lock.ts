/** The oldest encryption of PDF (RC4 with 40 bits): weak, but short to implement. */
import { createHash } from "node:crypto";

const PADDING = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");
/** The password allows printing and copying. */
const PERMISSIONS = -4;
const KEY_BYTES = 5;

export interface Lock {
  /** Encrypts the content of a stream; `object` is the number of its object. */
  seal: (content: string, object: number) => string;
  /** The entry of the file's trailer. */
  trailer: string;
}

export function lockOf(password: string): Lock {
  const id = md5(Buffer.from(password)).subarray(0, 16);
  const padded = Buffer.concat([Buffer.from(password), PADDING]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, KEY_BYTES), padded);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(padded, owner, permissions, id).subarray(0, KEY_BYTES);
  const hex = (bytes: Buffer) => `<${bytes.toString("hex")}>`;
  const encrypt = `<< /Filter /Standard /V 1 /R 2 /P ${PERMISSIONS} /O ${hex(owner)} /U ${hex(rc4(key, PADDING))} >>`;
  return {
    trailer: `/ID [${hex(id)} ${hex(id)}] /Encrypt ${encrypt} `,
    seal: (content, object) => {
      const number = Buffer.from([object & 0xff, (object >> 8) & 0xff, (object >> 16) & 0xff, 0, 0]);
      return rc4(md5(key, number).subarray(0, KEY_BYTES + 5), Buffer.from(content, "latin1")).toString("latin1");
    },
  };
}

function md5(...parts: readonly Buffer[]): Buffer {
  return createHash("md5").update(Buffer.concat(parts)).digest();
}

function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, at) => at);
  const swap = (one: number, other: number) => ([state[one], state[other]] = [state[other] ?? 0, state[one] ?? 0]);
  for (let at = 0, other = 0; at < 256; at++) {
    other = (other + (state[at] ?? 0) + (key[at % key.length] ?? 0)) & 0xff;
    swap(at, other);
  }
  let [one, other] = [0, 0];
  return Buffer.from(bytes.map((byte) => {
    one = (one + 1) & 0xff;
    other = (other + (state[one] ?? 0)) & 0xff;
    swap(one, other);
    return byte ^ (state[((state[one] ?? 0) + (state[other] ?? 0)) & 0xff] ?? 0);
  }));
}
