/** The frame of every screen: navigation, account, connection state, uploads and notices. */
import "./frame.css";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { listQueues, signOut } from "../api/endpoints.ts";
import { Icon, Logo, type IconName } from "../design/Icon.tsx";
import { useKeys } from "../design/keyboard.ts";
import { choose, nextTheme, theme, type Theme } from "../design/theme.ts";
import { count } from "../format/numbers.ts";
import { connectionState } from "../live/live.ts";
import { useStore } from "../live/store.ts";
import { may, type Right } from "../session/permissions.ts";
import { signedOut, useMe } from "../session/session.ts";
import { DropAnywhere } from "./DropAnywhere.tsx";
import { KeysDialog } from "./KeysDialog.tsx";
import { Notices } from "./Notices.tsx";
import { UploadTray } from "./UploadTray.tsx";

interface Place {
  to: string;
  name: string;
  icon: IconName;
  key: string;
  right?: Right;
}

const PLACES: readonly Place[] = [
  { to: "/", name: "Home", icon: "home", key: "h" },
  { to: "/documents", name: "Documents", icon: "documents", key: "d" },
  { to: "/trades", name: "Trades", icon: "trades", key: "t" },
  { to: "/ask", name: "Search and ask", icon: "ask", key: "a", right: "ask" },
  { to: "/attention", name: "Needs attention", icon: "attention", key: "n", right: "attention" },
  { to: "/admin", name: "Admin", icon: "admin", key: "m", right: "audit" },
];

/** For the bottom navigation of a phone. */
const SHORT_NAMES: Record<string, string> = { "/documents": "Docs", "/ask": "Ask", "/attention": "Attention" };

const THEME_WORDS: Record<Theme, readonly [IconName, string]> = {
  system: ["system", "Theme: system"],
  light: ["sun", "Theme: light"],
  dark: ["moon", "Theme: dark"],
};

export function Frame({ children }: { children: ReactNode }) {
  const me = useMe();
  const [location, navigate] = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isMoreOpen, setMoreOpen] = useState(false);
  const places = PLACES.filter((place) => place.right === undefined || may(me.role, place.right));
  useKeys({
    "?": () => setHelpOpen(true),
    "/": () => focusSearch(() => navigate(may(me.role, "ask") ? "/ask" : "/documents")),
    t: () => choose(nextTheme(theme.get())),
    ...Object.fromEntries(places.map((place) => [`g ${place.key}`, () => navigate(place.to)])),
  });
  useDocumentTitle(places, location);
  return (
    <div className="frame">
      <a className="visually-hidden" href="#main">Skip to the screen</a>
      <nav className="rail" aria-label="Screens">
        <Link href="/" className="brand" aria-label="Docket, home">
          <Logo />
          <span className="rail-label">Docket</span>
        </Link>
        {places.map((place) => <PlaceLink key={place.to} place={place} isHere={isHere(place, location)} />)}
        <button type="button" className="rail-link rail-more" aria-expanded={isMoreOpen} onClick={() => setMoreOpen(!isMoreOpen)}>
          <Icon name="more" />
          <span>More</span>
        </button>
        <div className="rail-panel" data-open={isMoreOpen} onClick={() => setMoreOpen(false)}>
          <RailFoot onHelp={() => setHelpOpen(true)} />
        </div>
      </nav>
      <main className="main" id="main" tabIndex={-1}>
        <OfflineBanner />
        {children}
      </main>
      {may(me.role, "upload") && <DropAnywhere />}
      <UploadTray />
      <Notices />
      {isHelpOpen && <KeysDialog onClose={() => setHelpOpen(false)} />}
    </div>
  );
}

function isHere(place: Place, location: string): boolean {
  return place.to === "/" ? location === "/" : location.startsWith(place.to);
}

function useDocumentTitle(places: readonly Place[], location: string): void {
  const name = location === "/account" ? "Account" : places.find((place) => isHere(place, location))?.name;
  useEffect(() => {
    document.title = name ? `${name} · Docket` : "Docket";
  }, [name]);
}

/** Focuses the search field of the screen, if it has one. */
function focusSearch(otherwise: () => void): void {
  const field = document.querySelector<HTMLElement>("[data-search]");
  if (field) field.focus();
  else otherwise();
}

function PlaceLink({ place, isHere: here }: { place: Place; isHere: boolean }) {
  return (
    <Link href={place.to} className="rail-link" aria-current={here ? "page" : undefined} title={`${place.name} (g ${place.key})`}>
      <Icon name={place.icon} />
      <span className="rail-label">{place.name}</span>
      <span className="rail-short" aria-hidden="true">{SHORT_NAMES[place.to] ?? place.name}</span>
      {place.to === "/attention" && <DeadCount />}
    </Link>
  );
}

function DeadCount() {
  const { data } = useQuery({ queryKey: ["queues"], queryFn: listQueues });
  const dead = data?.queues.reduce((sum, queue) => sum + queue.dead, 0) ?? 0;
  return dead > 0 && <span className="rail-count" title="Documents that need attention">{count(dead)}</span>;
}

function RailFoot({ onHelp }: { onHelp: () => void }) {
  const me = useMe();
  const [location] = useLocation();
  const now = useStore(theme);
  const [icon, words] = THEME_WORDS[now];
  const leave = () => {
    signOut().catch(() => undefined).finally(() => signedOut());
  };
  return (
    <div className="rail-foot">
      <ConnectionStateView />
      <button type="button" className="rail-link" title={`${words} (t)`} onClick={() => choose(nextTheme(now))}>
        <Icon name={icon} />
        <span className="rail-label">{words}</span>
      </button>
      <a href="/docs/guide" className="rail-link" title="Guide">
        <Icon name="info" />
        <span className="rail-label">Guide</span>
      </a>
      <button type="button" className="rail-link" title="Keys (?)" onClick={onHelp}>
        <Icon name="keyboard" />
        <span className="rail-label">Keys</span>
      </button>
      <button type="button" className="rail-link" title="Sign out" onClick={leave}>
        <Icon name="out" />
        <span className="rail-label">Sign out</span>
      </button>
      <Link href="/account" className="rail-link" aria-current={location === "/account" ? "page" : undefined} title={`Account: ${me.name}, ${me.role}`}>
        <Icon name="person" />
        <span className="rail-label rail-account"><span className="visually-hidden">Account:</span><span className="truncate">{me.name}</span><span className="quiet">{me.role}</span></span>
      </Link>
    </div>
  );
}

const CONNECTION_LABELS = { connecting: "Connecting", live: "Live", away: "Reconnecting" };

function ConnectionStateView() {
  const state = useStore(connectionState);
  return (
    <div className="connection-state" role="status" title="Whether this page shows changes immediately" data-connection={state}>
      <span className="connection-dot" data-state={state} />
      <span className="rail-label">{CONNECTION_LABELS[state]}</span>
    </div>
  );
}

function OfflineBanner() {
  const state = useStore(connectionState);
  if (state !== "away") return null;
  return (
    <div className="banner" role="status">
      <Icon name="alert" />
      Docket cannot be reached. This page may be out of date; it reconnects automatically.
    </div>
  );
}
