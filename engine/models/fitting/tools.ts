import type { Json, ToolSpec } from '#contract';
import { estimateTokens } from '../tokens.ts';
import { type FitRules, type LeftOut, type Plainness, REFUSED_WITH_IT } from './rules.ts';
import { cut, fitSchema } from './schema.ts';

export interface FittedTools {
  /** The very list where nothing had to be changed. */
  readonly tools: readonly ToolSpec[];
  readonly leftOut: readonly LeftOut[];
  /** Names on the wire by the tool's own, where they differ. */
  readonly names: ReadonlyMap<string, string>;
  /** By a tool's own name: its arguments' own names by those on the wire. */
  readonly renamed: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

interface ToolFitting {
  readonly rules: FitRules;
  readonly plain: Plainness;
  readonly contextTokens: number;
  /** Of the tools that came with the gateway, whose descriptions are ours. */
  isOwn(name: string): boolean;
}

/** Of the model's context: more than that tools never take. */
const SHARE = 0.4;
const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;

/** The tools of a request as its vendor takes them. Pure. */
export function fitTools(tools: readonly ToolSpec[], fitting: ToolFitting): FittedTools {
  const leftOut: LeftOut[] = [];
  const names = new Map<string, string>();
  const renamed = new Map<string, ReadonlyMap<string, string>>();
  const leave = (tool: ToolSpec, why: string) => leftOut.push({ kind: 'tool', name: tool.name, why });
  const kept = within(tools, fitting, leave).map((tool) => {
    const { description, inputSchema } = tool;
    const isBare = fitting.plain > 0 && !fitting.isOwn(tool.name);
    const fitted = fitSchema(inputSchema, fitting.rules, { bare: isBare });
    const name = wireName(tool.name, fitting.rules.max_name, new Set(names.values()));
    if (name !== tool.name) names.set(tool.name, name);
    if (fitted.renamed.size > 0) renamed.set(tool.name, fitted.renamed);
    const words = [description, ...fitted.hints].join(' ');
    const said = cut(words, isBare ? Math.min(300, fitting.rules.max_description) : fitting.rules.max_description);
    const isAsItWas = name === tool.name && said === description && fitted.schema === inputSchema;
    return isAsItWas ? tool : { name, description: said, inputSchema: fitted.schema };
  });
  const sized = fitting.contextTokens > 0 ? smallEnough(kept, names, fitting, leftOut) : kept;
  const isSame = sized.length === tools.length && sized.every((tool, at) => tool === tools[at]);
  return { tools: isSame ? tools : sized, leftOut, names, renamed };
}

/** Not more than the vendor takes: those of others go first, the last of the list first. */
function within(
  tools: readonly ToolSpec[],
  { rules, plain, isOwn }: ToolFitting,
  leave: (tool: ToolSpec, why: string) => void,
): readonly ToolSpec[] {
  const own = tools.filter(({ name }) => isOwn(name));
  const others = tools.filter(({ name }) => !isOwn(name));
  if (plain > 1) for (const tool of others) leave(tool, REFUSED_WITH_IT);
  const taken = [...own, ...(plain > 1 ? [] : others)];
  for (const tool of taken.slice(rules.max_tools))
    leave(tool, `the model service takes at most ${rules.max_tools} tools`);
  const kept = new Set(taken.slice(0, rules.max_tools));
  return kept.size === tools.length ? tools : tools.filter((tool) => kept.has(tool));
}

/** What is largest of others' goes, until there is room for the mail. */
function smallEnough(
  tools: readonly ToolSpec[],
  names: Map<string, string>,
  { contextTokens, isOwn }: ToolFitting,
  leftOut: LeftOut[],
): readonly ToolSpec[] {
  const own = new Map([...names].map(([name, wire]) => [wire, name]));
  const sizes = tools.map((tool) => ({
    tool,
    name: own.get(tool.name) ?? tool.name,
    tokens: estimateTokens(JSON.stringify(tool)),
  }));
  let over = sizes.reduce((sum, { tokens }) => sum + tokens, 0) - contextTokens * SHARE;
  const gone = new Set<ToolSpec>();
  for (const { tool, name, tokens } of sizes
    .filter(({ name }) => !isOwn(name))
    .toSorted((a, b) => b.tokens - a.tokens)) {
    if (over <= 0) break;
    gone.add(tool);
    leftOut.push({ kind: 'tool', name, why: 'the descriptions of all tools together are too long for this model' });
    over -= tokens;
  }
  return gone.size === 0 ? tools : tools.filter((tool) => !gone.has(tool));
}

/** A name that every vendor takes: letters, digits, _ and -, no digit first. */
export function wireName(name: string, most: number, taken: ReadonlySet<string> = new Set()): string {
  if (NAME.test(name) && name.length <= most) return name;
  const letters = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const plain = (NAME.test(letters) ? letters : `t_${letters}`).slice(0, most);
  for (let number = 1; ; number += 1) {
    const wire = number === 1 ? plain : `${plain.slice(0, most - 4)}_${number}`;
    if (!taken.has(wire)) return wire;
  }
}

/** Arguments under the tool's own names again. */
export function withOwnKeys(value: Json | undefined, renamed: ReadonlyMap<string, string>): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withOwnKeys(item, renamed) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [renamed.get(key) ?? key, withOwnKeys(inner, renamed) ?? null]),
  );
}
