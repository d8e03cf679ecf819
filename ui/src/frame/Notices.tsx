import { Link } from "wouter";
import { IconButton, TraceId } from "../design/basics.tsx";
import { Icon } from "../design/Icon.tsx";
import { dismiss, notices } from "../live/notices.ts";
import { useStore } from "../live/store.ts";

const ICONS = { good: "check", bad: "alert", plain: "info" } as const;

export function Notices() {
  const shown = useStore(notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map((notice) => (
        <div key={notice.id} className={`notice ${notice.tone}`}>
          <Icon name={ICONS[notice.tone]} />
          <div>
            <p>
              {notice.text}{" "}
              {notice.link && <Link href={notice.link.to} onClick={() => dismiss(notice.id)}>{notice.link.text}</Link>}
            </p>
            {notice.trace && <TraceId id={notice.trace} />}
          </div>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}
