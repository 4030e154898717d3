import { z } from 'zod';
import { short } from '../../../lib/text/short.ts';
import type { CallLink, Chain, Step } from '../../../queries/explain/chain.ts';
import type { Explained } from '../../../queries/explain/explain-run.ts';
import { linesOf } from '../../../record/events.ts';
import type { WhyAsked } from '../../../record/own-words.ts';
import { helpersAskedLines } from '../../text/helpers-asked.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';
import { memorySourceLines } from '../../text/memory-sources.ts';

const STATE: Readonly<Record<string, string>> = {
  draft: 'which lies in Drafts: nobody has got it',
  deleted: 'which was deleted from Drafts: nobody has got it',
};

/** For a person: from the answer down to what the model was given. */
export function explainedText(explained: Explained): string {
  const { run, question, final, claims, citations, steps, receipt, context, missing } = explained;
  const sources = memorySourceLines(explained);
  const asked = helpersAskedLines(explained.helpers_asked);
  const newestFirst = [...steps.entries()].toReversed();
  return [
    `Run ${run.id} of ${run.persona}: ${run.status}${run.outcome ? `, ${run.outcome}` : ''}${run.code ? ` (${run.code})` : ''}`,
    '',
    ...(final
      ? [
          `ANSWER  ${final.message_id} to ${final.to.join(', ')}${final.state ? `, ${STATE[final.state] ?? final.state}` : ''}`,
          ...(final.corrected_by === null
            ? []
            : [`        made with what was corrected since: fact ${final.corrected_by}`]),
          ...quoted(final.text),
        ]
      : ['ANSWER  none was sent']),
    '',
    ...receiptLines(receipt),
    claims.length === 0 ? 'CLAIMS  none that could be checked' : 'CLAIMS',
    ...claims.map((claim) => `  ${short(JSON.stringify(claim))}`),
    ...(citations.length === 0 ? [] : ['', 'CITATIONS', ...citations.map((one) => `  ${cited(one)}`)]),
    ...(asked.length === 0 ? [] : ['', 'ASKED FOR BY ITS HELPERS', ...asked.map((line) => `  ${line}`)]),
    ...costLines(explained),
    ...notedLines(explained.noted),
    ...newestFirst.flatMap(([index, step]) => ['', ...stepLines(index + 1, step)]),
    '',
    'MODEL INPUT',
    ...(context ? linesOf('context_built', context) : ['  no prompt was put together']),
    ...(sources.length === 0 ? [] : ['', 'MEMORY SOURCES', ...sources.map((line) => `  ${line}`)]),
    '',
    `QUESTION  ${question.message_id} from ${question.from ?? 'nobody that can be named'}, ${question.tier}: ${question.subject}`,
    '',
    missing.length === 0
      ? 'Every link is on record.'
      : `Missing links:\n${missing.map((one) => `  ${one}`).join('\n')}`,
    zoneLine(),
  ].join('\n');
}

/** Only where something is no plain count of the vendor's. */
function costLines({ costs }: Explained): string[] {
  const told = costs.filter(({ usage, said }) => usage === 'estimated' || said !== null);
  if (told.length === 0) return [];
  const lines = told.map(({ provider, model, tokens, said, cost_usd }) => {
    const count = `${tokens?.input ?? 0} tokens in and ${tokens?.output ?? 0} out`;
    const why = said ? `the service said ${said.input} and ${said.output}` : 'the service did not say';
    return `  ${provider}/${model}: ${count}, estimated: ${why}; ${cost_usd === null ? 'no price' : `${cost_usd.toFixed(4)} USD`}`;
  });
  return ['', 'COST', ...lines];
}

const CITED = z.object({ id: z.string(), source: z.string().nullable(), grade: z.string() });

/** Of a record that another version wrote, whatever stands there. */
function cited(citation: unknown): string {
  const { data } = CITED.safeParse(citation);
  return short(data ? `${data.id}  ${data.source ?? 'opened by no call'}  ${data.grade}` : JSON.stringify(citation));
}

function receiptLines(receipt: Chain['receipt']): readonly string[] {
  const lines = receipt ? linesOf('receipt', receipt) : [];
  return lines.length === 0 ? [] : ['RECEIPT', ...lines, ''];
}

/** What no other part of the page tells. */
function notedLines(noted: Chain['noted'] = []): readonly string[] {
  const lines = noted.toReversed().flatMap(({ type, data }) => linesOf(type, data));
  return lines.length === 0 ? [] : ['', 'ALSO', ...lines];
}

function stepLines(number: number, { input, reply, calls, decisions }: Step): string[] {
  const said = reply.error === null ? (reply.text.trim() === '' ? '(no text)' : reply.text) : `failed: ${reply.error}`;
  return [
    `STEP ${number}  ${calls.length === 0 ? '' : `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`}`.trimEnd(),
    ...calls.toReversed().flatMap(callLines),
    ...decisions.toReversed().map(({ decision, reason }) => `  decided      ${decision}: ${reason}`),
    `  model said   ${short(said)}`,
    ...(input ? linesOf('model_call_started', input) : ['  was asked    not on record']),
  ];
}

function permissionLines(permission: CallLink['permission']): string[] {
  if (permission === null) return ['    permission was not asked for'];
  const { own_words } = permission;
  const own = own_words ? [`    own words  ${ownWordsLine(own_words)}`] : [];
  return [`    permission ${permissionLine(permission)}`, ...own];
}

function permissionLine({ verdict, code, by, source, reason }: NonNullable<CallLink['permission']>): string {
  return `${verdict}${code ? ` (${code})` : ''}, by ${by}${source ? `, of ${source}` : ''}${reason ? `: ${reason}` : ''}`;
}

function ownWordsLine(own: NonNullable<NonNullable<CallLink['permission']>['own_words']>): string {
  if (own.verdict === 'asks') return `not the yes to it: ${WHY_ASKED[own.why]}`;
  const words = own.words.map((word) => JSON.stringify(word)).join(', ');
  return `the yes to it${words === '' ? '' : `: ${words}`}`;
}

const WHY_ASKED: Readonly<Record<WhyAsked, string>> = {
  begun: 'no mail of an owner began the run, or the mail had a run before',
  denied: 'an owner said no to something in this run',
  proof: 'no owner of now is proven by DMARC, a signature of the domain or a login to have written the mail',
  unknown: 'some words of the mail may be somebody else’s, or are struck out or hidden',
  policy: 'a rule or a tool asks about it by name',
  kind: 'it is none of the kinds of act that an owner’s words can be the yes to',
  recipient: 'it goes to somebody whom the mail does not name',
  name: 'it takes something along, or takes something away, that the mail does not name',
  money: 'it has a sum of money or an account in it',
  secret: 'it has a key or a password in it',
  value: 'it has an address or a link in it that does not stand in the mail',
  exposed: 'the run had read what others wrote',
  often: 'ten such acts were made within the hour, or five deletions in this run',
};

function callLines(call: CallLink): string[] {
  const { observation, result, ran, approval, permission } = call;
  const inside = Object.entries(ran?.inside ?? {}).map(([name, { calls, ms }]) => `${name} ${calls}x ${ms} ms`);
  return [
    `  ${call.call_id}  ${call.tool}`,
    ...(observation
      ? [
          `    observed   ${[observation.observed_at === null ? null : atHere(observation.observed_at), observation.source === null ? null : JSON.stringify(observation.source), observation.truncated ? 'in part' : null].filter((part) => part !== null).join('  ')}`,
          `               ${short(observation.shown)}`,
        ]
      : ['    observed   not yet']),
    `    result     ${result === null ? 'none' : result.ok ? 'ok' : (result.code ?? 'failed')}${result?.artifact ? `, artifact ${result.artifact}` : ''}`,
    `    ran        ${ran ? [`${ran.latency_ms} ms`, `set going by the ${ran.source}`, ...inside].join('; ') : 'no'}`,
    ...(approval
      ? [`    approval   ${approval.id}: ${approval.state}${approval.decided_by ? ` by ${approval.decided_by}` : ''}`]
      : []),
    ...permissionLines(permission),
    `    arguments  ${short(JSON.stringify(call.arguments))}`,
    ...stepsBelow(call),
  ];
}

/** Of a plan, the last one first like everything here. */
function stepsBelow({ steps }: CallLink): string[] {
  const lines = steps.toReversed().flatMap((step) => callLines(step).map((line) => `  ${line}`));
  return lines.length === 0 ? [] : ['    steps', ...lines];
}

const quoted = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, 20)
    .map((line) => `  | ${line}`.trimEnd());
