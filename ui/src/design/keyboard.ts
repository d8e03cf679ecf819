/**
 * Keys without modifiers, as in `?`, `/` or `g d` (one after the other). Not while a field has the focus, and not while a dialog is open.
 */
import { useEffect, useRef } from "react";

export type KeyMap = Record<string, () => void>;

const SEQUENCE_MS = 1_200;

/** Which action keys pressed one after the other stand for, and what of them may still become one. */
export function matchKeys(pressed: readonly string[], known: readonly string[]): { match: string | null; pending: string[] } {
  for (let from = 0; from < pressed.length; from++) {
    const typed = pressed.slice(from).join(" ");
    if (known.includes(typed)) return { match: typed, pending: [] };
    if (known.some((keys) => keys.startsWith(`${typed} `))) return { match: null, pending: pressed.slice(from) };
  }
  return { match: null, pending: [] };
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "range"].includes(target.type);
}

export function useKeys(keys: KeyMap): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    let pressed: string[] = [];
    let last = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      if (event.timeStamp - last > SEQUENCE_MS) pressed = [];
      last = event.timeStamp;
      const { match, pending } = matchKeys([...pressed, event.key], Object.keys(current.current));
      pressed = pending;
      if (match === null) return;
      event.preventDefault();
      current.current[match]?.();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
