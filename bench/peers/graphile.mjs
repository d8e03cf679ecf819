// graphile-worker. `options` are laid over its defaults; ten jobs at once instead of one, so that it may
// use as many connections as everybody else.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";

export function graphile(options) {
  const CONNECTIONS = 10;
  const quiet = new Logger(() => () => {});
  const pool = new pg.Pool({ max: CONNECTIONS });
  const client = new pg.Pool({ max: 1 });
  // It wants to see that somebody hears of errors; a query that fails ends the driver anyway.
  pool.on("error", () => {});
  pool.on("connect", (connection) => connection.on("error", () => {}));
  let runner;
  return {
    async prepare() {
      const utils = await makeWorkerUtils({ pgPool: pool, logger: quiet });
      await utils.migrate();
      await utils.release();
    },
    async fill(jobs) {
      if (jobs === 1) {
        await client.query("SELECT graphile_worker.add_job('nothing', '{}'::json)");
        return;
      }
      await client.query(
        `SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
           SELECT json_populate_record(NULL::graphile_worker.job_spec,
                                       json_build_object('identifier', 'nothing', 'payload', json_build_object('id', i)))
           FROM generate_series(1, $1) AS i))`,
        [jobs],
      );
    },
    async start(handler) {
      runner = await run({
        pgPool: pool,
        logger: quiet,
        noHandleSignals: true,
        taskList: { nothing: async () => handler() },
        preset: { worker: { concurrentJobs: CONNECTIONS, ...options } },
      });
    },
    async left() {
      const { rows } = await client.query("SELECT EXISTS (SELECT FROM graphile_worker._private_jobs) AS some");
      return rows[0].some;
    },
    async stop() {
      await runner.stop();
      await runner.promise;
    },
  };
}
