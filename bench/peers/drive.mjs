// Drives one peer, as bench/src/engine/peers.rs tells it to, line by line.
//
//   node drive.mjs PEER      with PGHOST, PGUSER and PGDATABASE set; prints {"ready":true}
//   {"do":"fill","jobs":N}              queue N jobs → {}
//   {"do":"work_off","jobs":N}          work them off → {"seconds":S}
//   {"do":"pick_up","gaps":[ms, …]}     one job after each gap, to an idle worker → {"ms":[…]}
//
// A peer has: prepare(), fill(n), start(handler), left() and stop(); see graphile.mjs and boss.mjs.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { boss } from "./boss.mjs";
import { graphile } from "./graphile.mjs";

const peers = {
  "graphile": () => graphile({}),
  "graphile-batched": () =>
    graphile({ localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }),
  "pg-boss": boss,
};

async function fill(peer, { jobs }) {
  await peer.fill(jobs);
  return {};
}

async function work_off(peer, { jobs }) {
  let done = 0;
  let all;
  const finished = new Promise((resolve) => { all = resolve; });
  const begun = performance.now();
  await peer.start(() => { if (++done === jobs) all(); }, "busy");
  await finished;
  // The handlers have returned; what counts is that the queue knows.
  while (await peer.left()) await sleep(1);
  const seconds = (performance.now() - begun) / 1e3;
  await peer.stop();
  return { seconds };
}

async function pick_up(peer, { gaps }) {
  let picked;
  await peer.start(() => picked(performance.now()), "idle");
  const ms = [];
  for (const gap of gaps) {
    await sleep(gap);
    const began = new Promise((resolve) => { picked = resolve; });
    await peer.fill(1);
    const committed = performance.now();
    ms.push(Math.max(0, (await began) - committed));
  }
  await peer.stop();
  return { ms };
}

const orders = { fill, work_off, pick_up };
const peer = peers[process.argv[2]]();
await peer.prepare();
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  say(await orders[order.do](peer, order));
}
process.exit(0);
