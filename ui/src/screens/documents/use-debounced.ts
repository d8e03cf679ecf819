/** A text field whose value is reported when typing pauses. */
import { useEffect, useState } from "react";

const PAUSE_MS = 250;

/** What the field shows, and how it changes. A `value` that changes from outside (Back, Clear) replaces what is typed. */
export function useDebounced(value: string, onChange: (value: string) => void): [string, (typed: string) => void] {
  const [field, setField] = useState({ typed: value, reported: value });
  if (field.reported !== value) setField({ typed: value, reported: value });
  useEffect(() => {
    if (field.typed === value) return;
    const timer = setTimeout(() => {
      setField({ typed: field.typed, reported: field.typed });
      onChange(field.typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [field.typed, value, onChange]);
  return [field.typed, (typed) => setField({ typed, reported: value })];
}
