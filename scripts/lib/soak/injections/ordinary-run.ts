import { CARRIERS } from './carriers.ts';
import { obedient, type Part } from './obedient.ts';
import { openOffice } from './office.ts';
import { FOR_THE_OWNER, ORDINARY, type Ordinary } from './ordinary.ts';
import { ORDINARY_LATER } from './ordinary-later.ts';
import { type Site, startSink, startSite } from './outside.ts';
import { namesOf, OWNER, safeText } from './scene.ts';

interface Story {
  readonly n: number;
  readonly name: string;
  /** The rule wants an owner's word for it. */
  readonly forTheOwner: boolean;
  readonly part: Part;
  readonly before: Part | null;
  readonly carried: ReturnType<NonNullable<(typeof CARRIERS)[string]>['build']>;
}

/**
 * Mails of every day on a gateway whose owner trusts the tools that reach outside, so that nothing but the values of
 * a call can be why it waits. Counted is every mail of which a call was held or refused although it need not be.
 */
export async function ordinaryRun(count: number, recall: boolean) {
  const pages = new Map<string, { type: string; body: string }>();
  const good = await startSite('127.0.0.1', (path) => pages.get(path));
  const sink = await startSink();
  const stories = [
    ...storiesOf({ ...ORDINARY, ...ORDINARY_LATER }, count, 10_001, good),
    ...storiesOf(FOR_THE_OWNER, Math.ceil(count / 10), 20_001, good),
  ];
  for (const { carried, n } of stories) {
    for (const [path, page] of Object.entries(carried.pages ?? {})) pages.set(path, page);
    if (carried.found !== undefined) pages.set(`/found/${n}`, { type: 'application/json', body: carried.found });
  }
  const parts = new Map(
    stories.flatMap(({ n, part, before }): [string, Part][] => [
      [`${n}-main`, part],
      ...(before ? [[`${n}-before`, before] as [string, Part]] : []),
    ]),
  );
  const files = Object.fromEntries(
    stories.flatMap(({ carried, n }) => Object.entries({ ...carried.files, [`safe-${n}.txt`]: safeText(n) })),
  );
  const script = obedient(
    (mark) => parts.get(mark),
    () => {},
  );
  const office = await openOffice({
    mode: 'trusting',
    script,
    files,
    good,
    sink,
    recall,
    persona: { memory: { recall, facts: true }, delegation: { enabled: true } },
  });
  try {
    for (const at of [0, 1]) await office.post(stories.flatMap(({ carried }) => carried.before?.[at] ?? []));
    await office.post(stories.map(({ carried }) => carried.letter));
    const stopped = new Map(
      office.query<Stopped>(STOPPED).map((row) => [/-(\d+)@/.exec(row.message_id)?.[1] ?? '', row]),
    );
    const lines = stories.flatMap(({ n, name, forTheOwner }) => {
      const row = stopped.get(String(n));
      return row ? [{ name, forTheOwner, why: `${row.verdict} by ${row.by}: ${row.tool} ${row.values}` }] : [];
    });
    const needless = lines.filter(({ forTheOwner }) => !forTheOwner);
    const failed = office.query<{ message_id: string; tool: string; payload: string }>(FAILED);
    return {
      mails: stories.filter(({ forTheOwner }) => !forTheOwner).length,
      held: needless.length,
      for_the_owner: stories.length - stories.filter(({ forTheOwner }) => !forTheOwner).length,
      of_those_held: lines.length - needless.length,
      why: needless.map(({ name, why }) => `${name}: ${why}`.slice(0, 300)),
      failed: failed.map(({ message_id, tool, payload }) => `${message_id} ${tool} ${payload}`.slice(0, 300)),
    };
  } finally {
    await office.close();
    await Promise.all([sink.stop(), good.stop()]);
  }
}

interface Stopped {
  readonly message_id: string;
  readonly verdict: string;
  readonly by: string;
  readonly tool: string;
  readonly values: string | null;
}

const STOPPED = `select r.message_id, json_extract(e.payload_json, '$.verdict') as verdict,
    json_extract(e.payload_json, '$.by') as "by", json_extract(e.payload_json, '$.tool') as tool,
    json_extract(e.payload_json, '$.asked.values') as "values"
  from run_events e join runs r on r.id = e.run_id
  where e.type = 'permission' and json_extract(e.payload_json, '$.verdict') <> 'allow'`;

/** A call that could not be made proves nothing about whether it may. */
const FAILED = `select parent_message_id as message_id, tool_name as tool, payload_json as payload from thread_tool_events
  where event_type = 'tool_result' and json_extract(payload_json, '$.ok') = 0`;

function storiesOf(table: Readonly<Record<string, Ordinary>>, count: number, first: number, good: Site): Story[] {
  const all = Object.entries(table);
  return Array.from({ length: count }, (_, at) => {
    const [name, ordinary] = all[at % all.length] ?? all[0] ?? raise();
    const carrier = CARRIERS[ordinary.carrier] ?? raise();
    const names = namesOf(first + at, 'http://127.0.0.2:1', good.base);
    const { n, member } = names;
    const isOwner = carrier.ownerOnly || /task|remind|plan something/.test(name) || at % 2 === 0;
    const asks = ordinary.asks(names);
    const text = ordinary.theirs(names);
    const carried = carrier.build({
      names,
      writer: isOwner ? OWNER : member,
      asks: `${asks[Math.floor(at / all.length) % asks.length]} case-${n}-main`,
      text,
      line: text.replace(/\s+/g, ' '),
    });
    const says = () => 'It is done.';
    const turns = [0, 1, 2].map(
      (turn): Part['turns'][number] =>
        (seen) =>
          ordinary.does(names, seen)[turn] ?? [],
    );
    const part: Part = { reads: carried.letter.reads, order: null, turns, says };
    const reads = carried.before?.[0]?.reads ?? [];
    return {
      n,
      name,
      part,
      carried,
      forTheOwner: table === FOR_THE_OWNER,
      before: carried.before ? { reads, order: null, turns: [], says } : null,
    };
  });
}

function raise(): never {
  throw new Error('a story without its beginning');
}
