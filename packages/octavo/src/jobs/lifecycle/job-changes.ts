import type { Database } from "../../db/index.ts";
import type { AnyJobKind } from "./job-kind.ts";

/** `status` is undefined if notifications may have been missed. The follower must then read the job. */
type OnChange = (status: string | undefined) => void;

/** Notifies followers in this process of changes to the jobs of one kind. */
export interface JobChanges extends AsyncDisposable {
  follow(jobId: string, onChange: OnChange): Disposable;
}

/** Listens on the channel on which the triggers of the kind's table announce each change. */
export async function openJobChanges(
  database: Pick<Database, "listen">,
  { channel }: Pick<AnyJobKind, "channel">,
): Promise<JobChanges> {
  const followers = new Map<string, Set<OnChange>>();
  const onChange = (payload: string) => {
    const [jobId = "", status] = payload.split(" ");
    for (const notify of followers.get(jobId) ?? []) notify(status);
  };
  const onGap = () => {
    for (const notify of [...followers.values()].flatMap((each) => [...each])) notify(undefined);
  };
  const listener = await database.listen(channel, onChange, onGap);
  return {
    follow(jobId, notify) {
      const jobFollowers = followers.get(jobId) ?? new Set();
      followers.set(jobId, jobFollowers.add(notify));
      return {
        [Symbol.dispose]() {
          jobFollowers.delete(notify);
          if (jobFollowers.size === 0) followers.delete(jobId);
        },
      };
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}
