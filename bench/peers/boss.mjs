// pg-boss. Under load it is used the way that is quickest: loops that fetch a hundred jobs at once and
// complete them at once. Its ready-made worker waits half a second at least between two looks; idle, that
// is what there is.
import pg from "pg";
import PgBoss from "pg-boss";

const QUEUE = "nothing";
const CONNECTIONS = 10;
const BATCH = 100;

export function boss() {
  const settings = { host: process.env.PGHOST, user: process.env.PGUSER, database: process.env.PGDATABASE, max: CONNECTIONS };
  const client = new pg.Pool({ max: 1 });
  const queue = new PgBoss(settings);
  queue.on("error", (error) => { throw error; });
  let loops = [];
  let stopping = false;

  async function loop(handler) {
    while (!stopping) {
      const jobs = await queue.fetch(QUEUE, { batchSize: BATCH });
      if (jobs.length === 0) return;
      for (const job of jobs) handler(job);
      await queue.complete(QUEUE, jobs.map((job) => job.id));
    }
  }

  return {
    async prepare() {
      await queue.start();
      await queue.createQueue(QUEUE);
    },
    async fill(jobs) {
      if (jobs === 1) {
        await queue.send(QUEUE, {});
        return;
      }
      await client.query("DELETE FROM pgboss.job");
      await client.query("VACUUM ANALYZE pgboss.job");
      await queue.insert(Array.from({ length: jobs }, (_, id) => ({ name: QUEUE, data: { id } })));
    },
    async start(handler, load) {
      stopping = false;
      if (load === "idle") {
        await queue.work(QUEUE, { pollingIntervalSeconds: 0.5, batchSize: 1 }, async () => handler());
        return;
      }
      loops = Array.from({ length: CONNECTIONS }, () => loop(handler));
    },
    async left() {
      const { rows } = await client.query(
        "SELECT EXISTS (SELECT FROM pgboss.job WHERE name = $1 AND state < 'completed') AS some", [QUEUE]);
      return rows[0].some;
    },
    async stop() {
      stopping = true;
      await Promise.all(loops);
      await queue.offWork(QUEUE);
    },
  };
}
