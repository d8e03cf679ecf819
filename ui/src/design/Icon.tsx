/** Line drawings on a 20 × 20 grid. */

const DRAWINGS = {
  home: "M3 9.5 10 3.5l7 6V16a1 1 0 0 1-1 1h-3.5v-4.5h-5V17H4a1 1 0 0 1-1-1z",
  documents: "M6 2.5h5.5L15 6v9.5H6zM11.5 2.5V6H15M3.5 5.5v12H12",
  ask: "M9 15.5a6.5 6.5 0 1 1 4.6-1.9M13.6 13.6l3.9 3.9M6.5 9h5M9 6.5v5",
  attention: "M4 17.5v-14M4 4c4-2.2 7 2.2 11.5 0v7.5C11 13.7 8 9.3 4 11.5",
  admin: "M10 2.5 16.5 5v5c0 3.7-2.6 6.4-6.5 7.5C6.1 16.4 3.5 13.7 3.5 10V5zM7.5 10l1.8 1.8L12.7 8.3",
  trades: "M3.5 7h12M12 3.5 15.5 7 12 10.5M16.5 13h-12M8 9.5 4.5 13 8 16.5",
  upload: "M10 13V4M6.5 7.3 10 3.8l3.5 3.5M3.5 13.5v2a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-2",
  download: "M10 4v9M6.5 9.7l3.5 3.5 3.5-3.5M3.5 13.5v2a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-2",
  folder: "M2.5 5.5a1 1 0 0 1 1-1h4l1.8 2h7.2a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1z",
  sun: "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1.8v1.7M10 16.5v1.7M1.8 10h1.7M16.5 10h1.7M4.2 4.2l1.2 1.2M14.6 14.6l1.2 1.2M4.2 15.8l1.2-1.2M14.6 5.4l1.2-1.2",
  moon: "M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z",
  system: "M3 4.5h14v9H3zM7.5 17h5M10 13.5V17",
  close: "M5 5l10 10M15 5 5 15",
  check: "M4 10.5l4 4 8-9",
  alert: "M10 3 18 16.5H2zM10 8v4M10 14.3v.1",
  info: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 9v4.5M10 6.5v.1",
  left: "M12.5 4.5 7 10l5.5 5.5",
  right: "M7.5 4.5 13 10l-5.5 5.5",
  down: "M4.5 7.5 10 13l5.5-5.5",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  more: "M3.5 5.5h13M3.5 10h13M3.5 14.5h13",
  rotate: "M15.5 10a5.5 5.5 0 1 1-1.7-4M14.3 2.5v3.7h-3.7",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
  thumbnails: "M3 3.5h4.5V8H3zM3 12h4.5v4.5H3zM11 3.5h6v13h-6z",
  refresh: "M16 6.5A7 7 0 0 0 3.5 8M4 13.5A7 7 0 0 0 16.5 12M16.3 2.8v3.9h-3.9M3.7 17.2v-3.9h3.9",
  trash: "M3.5 5.5h13M8 5.5v-2h4v2M5 5.5l.8 11h8.4l.8-11M8.5 9v4.5M11.5 9v4.5",
  pause: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM4.7 4.7l10.6 10.6",
  key: "M12.5 3a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM9.3 10.7 3 17M5.5 14.5l2 2M13.5 6.5v.1",
  edit: "M4 16.5l.8-3.6 8.6-8.6a1.4 1.4 0 0 1 2 0l.8.8a1.4 1.4 0 0 1 0 2l-8.6 8.6zM12 5.8l2.7 2.7",
  person: "M10 3a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM3.5 17a6.5 6.5 0 0 1 13 0",
  out: "M8 3.5H4.5a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1H8M12.5 6.5 16 10l-3.5 3.5M16 10H8",
  keyboard: "M2.5 5h15v10h-15zM5.5 8v.1M8.5 8v.1M11.5 8v.1M14.5 8v.1M6.5 12h7",
  copy: "M7 7h9.5v9.5H7zM4.5 13h-1V3.5H13v1",
  search: "M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3zM13.5 13.5l4 4",
  clock: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 6v4l2.8 1.8",
  quote: "M4 13.5V9.5A3.5 3.5 0 0 1 7.5 6M11.5 13.5V9.5A3.5 3.5 0 0 1 15 6M4 10.5h3v3H4zM11.5 10.5h3v3h-3z",
  send: "M3 10l14-6.5L13.5 17l-3.3-5.2zM10.2 11.8 17 3.5",
} as const;

export type IconName = keyof typeof DRAWINGS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={DRAWINGS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0e5f57" />
      <path d="M9 6.5h9.5L24 12v13.5H9z" fill="#fff" />
      <path d="M18.5 6.5V12H24z" fill="#a9d6cf" />
      <path d="M12 15.5h9v3h-9z" fill="#f6c945" />
      <path d="M12 21.5h6" stroke="#0e5f57" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}
