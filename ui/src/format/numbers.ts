/** Numbers in the browser's locale. */

export function count(value: number, locale?: string): string {
  return new Intl.NumberFormat(locale).format(value);
}

export function percent(part: number, locale?: string): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }).format(part);
}

/** A share with one digit after the point, for rates of a few percent. */
export function finePercent(part: number, locale?: string): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 }).format(part);
}

/** A probability with one digit after the point. It is rounded down: what is not certain is never 100%. */
export function probability(value: number, locale?: string): string {
  return new Intl.NumberFormat(locale, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(Math.floor(value * 1000 + 1e-9) / 1000);
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export function bytes(value: number, locale?: string): string {
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: UNITS[unit],
    unitDisplay: unit === 0 ? "long" : "short",
    maximumFractionDigits: size < 10 && unit > 0 ? 1 : 0,
  }).format(size);
}

/** “1 document”, “12 documents”: English only, like the rest of the UI. */
export function counted(value: number, one: string, many = `${one}s`, locale?: string): string {
  return `${count(value, locale)} ${value === 1 ? one : many}`;
}
