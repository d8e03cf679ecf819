/** Decides between the way in and the screens, and keeps the session and the live line going. */
import { lazy, Suspense, useEffect } from "react";
import { Route, Switch } from "wouter";
import { readMe } from "./api/endpoints.ts";
import { ApiError } from "./api/problem.ts";
import { Empty, SkeletonRows } from "./design/basics.tsx";
import { Boundary } from "./frame/Boundary.tsx";
import { Frame } from "./frame/Frame.tsx";
import { goLive, queries } from "./live/live.ts";
import { clearUploads } from "./live/uploads.ts";
import { may, type Right } from "./session/permissions.ts";
import { ExpiredDialog, SignIn } from "./session/SignIn.tsx";
import { followOtherTabs, signedIn, signedOut, storedToken, useMe, useSession } from "./session/session.ts";

const Home = lazy(() => import("./screens/home/Home.tsx"));
const Documents = lazy(() => import("./screens/documents/Documents.tsx"));
const DocumentScreen = lazy(() => import("./screens/document/DocumentScreen.tsx"));
const Ask = lazy(() => import("./screens/ask/Ask.tsx"));
const Repair = lazy(() => import("./screens/repair/Repair.tsx"));
const Admin = lazy(() => import("./screens/admin/Admin.tsx"));

const AWAY_MS = 2_000;

export function App() {
  const session = useSession();
  useEffect(() => followOtherTabs(readMe), []);
  useEffect(() => {
    if (session.state === "unknown") return openSession();
  }, [session.state]);

  const isInside = session.state === "signed-in" || session.state === "expired";
  useEffect(() => {
    if (!isInside) return;
    const stop = goLive();
    return () => {
      stop();
      clearUploads();
      queries.clear();
    };
  }, [isInside]);

  if (session.state === "unknown") return <div className="screen" role="status" aria-busy="true" aria-label="Loading" />;
  if (session.state === "signed-out") return <SignIn notice={session.notice} />;
  return (
    <>
      <Frame>
        <Boundary>
          <Suspense fallback={<div className="screen"><SkeletonRows /></div>}>
            <Screens />
          </Suspense>
        </Boundary>
      </Frame>
      {session.state === "expired" && <ExpiredDialog />}
    </>
  );
}

/** Finds out who one is. A server that is away is asked again until it answers. */
function openSession(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const token = storedToken();
  const ask = () => {
    readMe(token).then(
      (me) => signedIn(token, me),
      (error: unknown) => {
        const isRefused = error instanceof ApiError && error.problem.status === 401;
        if (isRefused) signedOut(token === null ? undefined : "Your session has ended. Sign in to go on.");
        else timer = setTimeout(ask, AWAY_MS);
      },
    );
  };
  ask();
  return () => clearTimeout(timer);
}

function Screens() {
  return (
    <Switch>
      <Route path="/"><Home /></Route>
      <Route path="/documents"><Documents /></Route>
      <Route path="/documents/:id">{({ id }) => <DocumentScreen key={id} id={id} />}</Route>
      <Route path="/ask"><Guarded right="ask"><Ask /></Guarded></Route>
      <Route path="/repair/:tab?">{({ tab }) => <Guarded right="repair"><Repair tab={tab} /></Guarded>}</Route>
      <Route path="/admin/:tab?">{({ tab }) => <Guarded right="audit"><Admin tab={tab} /></Guarded>}</Route>
      <Route>
        <Empty icon="search" title="There is nothing at this address">
          <p>The link may be old, or mistyped. Everything Docket has is in the list on the left.</p>
        </Empty>
      </Route>
    </Switch>
  );
}

function Guarded({ right, children }: { right: Right; children: React.ReactNode }) {
  const { role } = useMe();
  if (may(role, right)) return children;
  return (
    <Empty icon="admin" title="This is not for your role">
      <p>You are signed in as <strong>{role}</strong>. An administrator can change that under Admin → Users.</p>
    </Empty>
  );
}
