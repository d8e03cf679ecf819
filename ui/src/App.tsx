/** Shows the sign-in page or the screens, and keeps the session and the event stream open. */
import { lazy, Suspense, useEffect } from "react";
import { Redirect, Route, Switch } from "wouter";
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
const Trades = lazy(() => import("./screens/trades/Trades.tsx"));
const Ask = lazy(() => import("./screens/ask/Ask.tsx"));
const Attention = lazy(() => import("./screens/attention/Attention.tsx"));
const Account = lazy(() => import("./screens/account/Account.tsx"));
const Admin = lazy(() => import("./screens/admin/Admin.tsx"));

const RETRY_MS = 2_000;

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

/** Asks the server who is signed in, again and again while it does not answer. */
function openSession(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const token = storedToken();
  const ask = () => {
    readMe(token).then(
      (me) => signedIn(token, me),
      (error: unknown) => {
        const isRefused = error instanceof ApiError && error.problem.status === 401;
        if (isRefused) signedOut(token === null ? undefined : "Your session ended. Sign in to continue.");
        else timer = setTimeout(ask, RETRY_MS);
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
      <Route path="/trades"><Trades /></Route>
      <Route path="/ask"><Guarded right="ask"><Ask /></Guarded></Route>
      <Route path="/account"><Account /></Route>
      <Route path="/attention/:tab?">{({ tab }) => <Guarded right="attention"><Attention tab={tab} /></Guarded>}</Route>
      <Route path="/repair/:tab?"><Redirect to="/attention" replace /></Route>
      <Route path="/admin/:tab?">{({ tab }) => <Guarded right="audit"><Admin tab={tab} /></Guarded>}</Route>
      <Route>
        <Empty isPage icon="search" title="Page not found">
          <p>The link may be old or mistyped. Choose a page from the menu.</p>
        </Empty>
      </Route>
    </Switch>
  );
}

function Guarded({ right, children }: { right: Right; children: React.ReactNode }) {
  const { role } = useMe();
  if (may(role, right)) return children;
  return (
    <Empty isPage icon="admin" title="Your role can’t open this page">
      <p>Your role is <strong>{role}</strong>. An administrator can change it under Admin → Users.</p>
    </Empty>
  );
}
