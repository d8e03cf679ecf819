/** Exact sums of decimal strings: floating-point numbers would show 0.30000000000000004. Pure. */

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

function scaled(value: string, digits: number): bigint | null {
  const [, sign, whole, fraction = ""] = DECIMAL.exec(value) ?? [];
  if (whole === undefined) return null;
  const size = BigInt(whole + fraction.padEnd(digits, "0"));
  return sign === "-" ? -size : size;
}

/** How far `total` is from the sum of `added` less `subtracted`, without a sign; null if one of them is no decimal. */
export function difference(total: string, added: readonly string[], subtracted: readonly string[]): string | null {
  const digits = Math.max(0, ...[total, ...added, ...subtracted].map((value) => DECIMAL.exec(value)?.[3]?.length ?? 0));
  const sum = (values: readonly string[]) => values.reduce<bigint | null>((all, value) => {
    const next = scaled(value, digits);
    return all === null || next === null ? null : all + next;
  }, 0n);
  const [wanted, plus, minus] = [scaled(total, digits), sum(added), sum(subtracted)];
  if (wanted === null || plus === null || minus === null) return null;
  const gap = wanted - (plus - minus);
  const text = String(gap < 0n ? -gap : gap).padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
