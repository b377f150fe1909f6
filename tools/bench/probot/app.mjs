// Takes a comment's delivery as our own intake does: remembers its id and queues it, in one
// script and one round trip, and answers once Redis has it.
import Redis from "ioredis";
import { run } from "probot";

const redis = new Redis({ path: process.env.REDIS_SOCKET, enableAutoPipelining: true });
redis.defineCommand("enqueueOnce", { numberOfKeys: 3, lua: process.env.ENQUEUE_ONCE });
const week = 7 * 24 * 3600 * 1000;

await run((app) => {
  app.on("issue_comment.created", async ({ id, payload }) => {
    const { issue, comment, repository, sender, installation } = payload;
    const event = {
      delivery: id,
      repository: {
        id: repository.id,
        owner: repository.owner.login,
        name: repository.name,
        private: repository.private,
        installation_id: installation.id,
      },
      sender: { id: sender.id, login: sender.login, is_bot: sender.type === "Bot" },
      issue: issue.number,
      comment_id: comment.id,
      body: comment.body,
      created_at: comment.created_at,
    };
    const job = `event:77:${id}`;
    const now = Date.now();
    const body = JSON.stringify({ f: "handle_event", a: [{ version: 1, event }], k: {}, et: now });
    const keys = ["probot:events", `probot:job:${job}`, `probot:delivery:77:${id}`];
    await redis.enqueueOnce(...keys, job, body, now, 30 * 24 * 3600 * 1000, week);
  });
});
