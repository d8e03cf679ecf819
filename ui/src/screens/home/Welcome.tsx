/** The first thing somebody sees in an empty Docket. */
import { Link } from "wouter";
import { Icon } from "../../design/Icon.tsx";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

export function Welcome() {
  const { role } = useMe();
  return (
    <section className="card welcome" aria-labelledby="welcome">
      <h2 id="welcome">Welcome to Docket</h2>
      <p>There is nothing here yet. How to begin:</p>
      <ol>
        {may(role, "upload") && (
          <li>
            <Icon name="upload" />
            <div><strong>Drop some files here,</strong> or press <kbd>u</kbd>. PDF, scans (PNG, JPG, TIFF), Word, Excel, PowerPoint, HTML, Markdown, text and mail.</div>
          </li>
        )}
        <li>
          <Icon name="documents" />
          <div><strong>Watch them being read.</strong> Each shows its stage, and you are told when it is ready.</div>
        </li>
        {may(role, "ask") && (
          <li>
            <Icon name="quote" />
            <div><strong>Ask.</strong> Every sentence of an <Link href="/ask">answer</Link> leads to the passage it rests on.</div>
          </li>
        )}
        {may(role, "users") && (
          <li>
            <Icon name="person" />
            <div><strong>Let others in</strong> under <Link href="/admin/users">Admin → Users</Link>, and give yourself a password that you chose.</div>
          </li>
        )}
      </ol>
    </section>
  );
}
