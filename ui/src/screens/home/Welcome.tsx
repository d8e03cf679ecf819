/** What the home screen shows before the first upload. */
import { Link } from "wouter";
import { Icon } from "../../design/Icon.tsx";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

export function Welcome() {
  const { role } = useMe();
  return (
    <section className="card welcome" aria-labelledby="welcome">
      <h2 id="welcome">Welcome to Docket</h2>
      <p>No documents yet. How to start:</p>
      <ol>
        {may(role, "upload") && (
          <li>
            <Icon name="upload" />
            <div><strong>Drop files here</strong> or choose Upload. PDF, scans (PNG, JPG, TIFF), Word, Excel, PowerPoint, HTML, Markdown, text and mail.</div>
          </li>
        )}
        <li>
          <Icon name="documents" />
          <div><strong>Watch the progress.</strong> Each document shows its stage and pages, and a notice says when it is ready.</div>
        </li>
        {may(role, "ask") && (
          <li>
            <Icon name="quote" />
            <div><strong>Ask questions.</strong> Every sentence of an <Link href="/ask">answer</Link> links to its source.</div>
          </li>
        )}
        {may(role, "users") && (
          <li>
            <Icon name="person" />
            <div><strong>Add users</strong> under <Link href="/admin/users">Admin → Users</Link>, and choose your own password.</div>
          </li>
        )}
      </ol>
    </section>
  );
}
