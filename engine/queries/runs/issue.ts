import type { CallLink, Step } from '../explain/chain.ts';
import type { QueryPorts } from '../ports.ts';
import { reasonInWords } from '../state-words.ts';
import type { Part, RunTimeline } from './timeline.ts';

/** What came with the program; what a workspace has added may be named after anybody. */
export async function bundledNames(ports: Pick<QueryPorts, 'extensions'>): Promise<ReadonlySet<string>> {
  const { all } = await ports.extensions();
  return new Set(all.flatMap(({ source, name }) => (source === 'bundled' ? name : [])));
}

interface Maker {
  readonly epistle: string;
  readonly node: string;
  readonly bundled: ReadonlySet<string>;
}

/**
 * A run for strangers: versions, kinds, names of tools and providers, codes, durations and tokens. No text of anybody is in it,
 * nor of a server, which may repeat part of a key; nor the name of a model, which may be one of the office's own. Pure.
 */
export function issueOf({ run, chain, parts }: Pick<RunTimeline, 'run' | 'chain' | 'parts'>, maker: Maker): string {
  const steps = chain.steps.flatMap((step, at) => stepLines(step, { at, cost: chain.costs[at] }, maker));
  return [
    `Epistle ${maker.epistle}, Node ${maker.node}`,
    `Kind: ${run.kind}`,
    `Ended as: ${run.status}${run.code === null ? '' : ` (${run.code})`}`,
    `Provider: ${run.provider === null ? 'none' : nameOf(run.provider, maker)}`,
    '',
    'Steps:',
    ...(steps.length === 0 ? ['none'] : steps),
    '',
    'Times:',
    ...parts.map(partLine),
  ].join('\n');
}

const nameOf = (name: string, { bundled }: Maker): string => (bundled.has(name) ? name : 'one of the workspace');

function stepLines(
  { reply, calls }: Step,
  { at, cost }: { readonly at: number; readonly cost: RunTimeline['chain']['costs'][number] | undefined },
  maker: Maker,
): readonly string[] {
  const tokens = cost?.tokens ? `${cost.tokens.input} tokens in, ${cost.tokens.output} out` : 'no tokens';
  const said =
    reply.error === null ? (reply.finish ?? 'answered') : `error ${reply.error}, ${reasonInWords(reply.error)}`;
  return [`${at + 1}. model call: ${said}, ${tokens}`, ...calls.map((call) => `   ${callLine(call, maker)}`)];
}

function callLine({ tool, permission, result }: CallLink, maker: Maker): string {
  const became = result === null ? 'not made' : result.ok ? 'went well' : `failed ${result.code ?? ''}`.trim();
  return `tool call, ${nameOf(tool, maker)}: ${permission?.verdict ?? 'not judged'}, ${became}`;
}

const ENDS = new Map<boolean | null, string>([
  [true, ''],
  [false, ' failed'],
  [null, ' goes on'],
]);
const partLine = ({ kind, ms, ok }: Part): string => `${kind} ${Math.round(ms)} ms${ENDS.get(ok) ?? ''}`;
