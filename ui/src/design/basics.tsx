/** Small pieces that every screen uses. */
import { useEffect, useId, useRef, useState, type ComponentProps, type ReactNode } from "react";
import { Link } from "wouter";
import { ApiError, isMissingRoute, messageOf } from "../api/problem.ts";
import { exactTime, relativeTime } from "../format/time.ts";
import { Icon, type IconName } from "./Icon.tsx";

// ---- Actions ---------------------------------------------------------------------------------------------------------

interface ButtonProps extends ComponentProps<"button"> {
  icon?: IconName;
  kind?: "plain" | "primary" | "danger" | "bare";
}

export function Button({ icon, kind = "plain", className = "", children, type = "button", ...rest }: ButtonProps) {
  return (
    <button type={type} className={`button ${kind} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button with an icon only: `label` is its accessible name and its tooltip. */
export function IconButton({ icon, label, kind = "bare", className = "", ...rest }: Omit<ButtonProps, "children"> & { icon: IconName; label: string }) {
  return (
    <button type="button" className={`button square ${kind} ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}

export function Field({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    <label className="field">
      <span>{label}</span>
      {children}
      {note !== undefined && <span className="field-note">{note}</span>}
    </label>
  );
}

interface Choice<T extends string> {
  value: T;
  label: string;
}

export function Segmented<T extends string>({ label, value, choices, onChange }: { label: string; value: T; choices: readonly Choice<NoInfer<T>>[]; onChange: (value: NoInfer<T>) => void }) {
  return (
    <div className="segmented" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button key={choice.value} type="button" aria-pressed={choice.value === value} onClick={() => onChange(choice.value)}>
          {choice.label}
        </button>
      ))}
    </div>
  );
}

export function TabList<T extends string>({ label, value, choices, onChange }: { label: string; value: T; choices: readonly Choice<NoInfer<T>>[]; onChange: (value: NoInfer<T>) => void }) {
  const move = (step: number) => {
    const at = choices.findIndex((choice) => choice.value === value);
    const next = choices[(at + step + choices.length) % choices.length];
    if (next) onChange(next.value);
  };
  return (
    <div
      className="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "ArrowRight") move(1);
        if (event.key === "ArrowLeft") move(-1);
        if (event.key === "ArrowRight" || event.key === "ArrowLeft") event.stopPropagation();
      }}
    >
      {choices.map((choice) => (
        <SelectableTab key={choice.value} isSelected={choice.value === value} onSelect={() => onChange(choice.value)}>
          {choice.label}
        </SelectableTab>
      ))}
    </div>
  );
}

/** On a narrow screen the tabs scroll sideways, and the current one must be visible. */
const NEAREST: ScrollIntoViewOptions = { block: "nearest", inline: "nearest" };

/** Tabs that are pages with addresses of their own. */
export function TabLinks({ label, current, links }: { label: string; current: string | undefined; links: readonly { to: string; name: string }[] }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView(NEAREST);
  }, [current]);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {links.map(({ to, name }) => <Link key={to} href={to} aria-current={to === current ? "page" : undefined}>{name}</Link>)}
    </nav>
  );
}

/** Arrow keys move the selection, and the focus goes with it. */
function SelectableTab({ isSelected, onSelect, children }: { isSelected: boolean; onSelect: () => void; children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const siblings = button.current?.parentElement;
    if (isSelected && siblings?.contains(document.activeElement)) button.current?.focus();
    if (isSelected) button.current?.scrollIntoView(NEAREST);
  }, [isSelected]);
  return (
    <button ref={button} type="button" role="tab" aria-selected={isSelected} tabIndex={isSelected ? 0 : -1} onClick={onSelect}>
      {children}
    </button>
  );
}

// ---- Status and messages ---------------------------------------------------------------------------------------------------------

export type Tone = "good" | "busy" | "warn" | "bad" | "off";

export function Badge({ tone = "off", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return <span className={`badge ${tone}`} title={title}>{children}</span>;
}

/** The labels of the API's values: of documents, runs and stages in lower case, of jobs in upper case. */
const STATUS_LABELS: Record<string, readonly [Tone, string]> = {
  active: ["good", "Ready"],
  processing: ["busy", "Processing"],
  uploaded: ["warn", "Queued"],
  failed: ["bad", "Failed"],
  rejected: ["bad", "Rejected"],
  inactive: ["off", "Withdrawn"],
  queued: ["warn", "Queued"],
  running: ["busy", "Processing"],
  succeeded: ["good", "Succeeded"],
  skipped: ["off", "Skipped"],
  pending: ["warn", "Queued"],
  PENDING: ["warn", "Queued"],
  PROCESSING: ["busy", "Processing"],
  COMPLETED: ["good", "Succeeded"],
  DEAD: ["bad", "Failed"],
};

export function statusInWords(status: string): string {
  return STATUS_LABELS[status]?.[1] ?? status;
}

export function StatusBadge({ status }: { status: string }) {
  const [tone, words] = STATUS_LABELS[status] ?? (["off", status] as const);
  return <Badge tone={tone}>{words}</Badge>;
}

export function Time({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span className="quiet">never</span>;
  const moment = new Date(at);
  return <time dateTime={at} title={exactTime(moment)}>{relativeTime(moment, now)}</time>;
}

const CLOCK_MS = 20_000;

/** The current time, renewed regularly so that “2 minutes ago” stays true. */
export function useNow(everyMs = CLOCK_MS): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** A message in place of content; `isPage` when it is all that the page shows, so that its title is the main heading. */
export function Empty({ icon, title, isPage = false, children }: { icon: IconName; title: string; isPage?: boolean; children?: ReactNode }) {
  return (
    <div className="empty">
      <Icon name={icon} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

/** A placeholder of the size of what is being fetched, so that nothing jumps when it arrives. */
export function Skeleton({ width = "100%", height = "1rem" }: { width?: string; height?: string }) {
  return <span className="skeleton" style={{ width, height }} />;
}

export function SkeletonRows({ rows = 6, height = "1rem" }: { rows?: number; height?: string }) {
  return (
    <div className="card-body" role="status" aria-busy="true" aria-label="Loading" style={{ display: "grid", gap: "1rem" }}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} width={`${95 - ((row * 17) % 40)}%`} />
      ))}
    </div>
  );
}

/** An error in the server's words, with the trace id that finds the request in its log. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const trace = error instanceof ApiError ? error.problem.trace_id : undefined;
  return (
    <div className="note bad" role="alert">
      <Icon name="alert" />
      <div>
        <p>{sentence(messageOf(error))}</p>
        {trace && <TraceId id={trace} />}
        {onRetry && <Button icon="refresh" kind="bare" onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  );
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function TraceId({ id }: { id: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
  };
  return (
    <p className="trace">
      trace <button type="button" title="Copy" onClick={() => void copy()}>{id}</button> {isCopied && "copied"}
    </p>
  );
}

/** For a part of a screen whose route the server does not have. */
export function MissingNote({ what, route }: { what: string; route: string }) {
  return (
    <div className="note">
      <Icon name="info" />
      <div>
        <p>This server can’t {what}.</p>
        <p className="quiet">It has no <code>{route}</code>. Update Docket to use this.</p>
      </div>
    </div>
  );
}

/** Either note, whichever an error calls for. */
export function ProblemOrMissing({ error, what, route, onRetry }: { error: unknown; what: string; route: string; onRetry?: () => void }) {
  return isMissingRoute(error) ? <MissingNote what={what} route={route} /> : <ProblemNote error={error} onRetry={onRetry} />;
}

// ---- Dialogs ---------------------------------------------------------------------------------------------------------

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
  /** Escape does not close the dialog, and there is no close button. */
  isFirm?: boolean;
}

export function Dialog({ title, onClose, children, isWide = false, isFirm = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // The first field rather than the close button.
      const first = dialog.querySelector<HTMLElement>("[data-autofocus], .dialog-form .input") ?? dialog.querySelector<HTMLElement>(".dialog-body");
      first?.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={`dialog ${isWide ? "wide" : ""}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFirm) onClose();
      }}
    >
      <div className="dialog-body" tabIndex={-1}>
        <div className="screen-head">
          <h2 id={heading}>{title}</h2>
          {!isFirm && <IconButton icon="close" label="Close" onClick={onClose} />}
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  action: string;
  children: ReactNode;
  onConfirm: () => void;
  onClose: () => void;
}

export function Confirm({ title, action, children, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
