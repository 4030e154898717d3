import type { CapabilityName, JsonSchema, Risk, Scope, ToolSpec } from '#contract';
import type { Persona, SecurityConfig } from '../config/types.ts';
import type { RegisteredTool } from '../extensions/types.ts';
import { sha256 } from '../lib/ids.ts';
import { RISKS } from '../lib/risks.ts';
import type { Exposed } from '../record/state.ts';
import type { Tier } from '../storage/types/mail.ts';
import { TELLS_BACK } from './told-back.ts';

/** A registered tool as far as policy looks at it. */
export interface ToolFacts {
  readonly name: string;
  readonly risk: Risk;
  readonly scope: Scope;
  /** It puts something before the owners in place of doing it. */
  readonly asks?: boolean;
  /** It is given keys or passwords. */
  readonly secrets?: boolean;
  /** What is in its arguments may get out of this gateway, or be done later in an owner's name. */
  readonly leaves?: boolean;
  /** It came with the gateway. */
  readonly bundled?: true;
  /** The server that it is of, as `mcp:<name>`: whatever comes back is somebody else's words. Absent: it is of none. */
  readonly foreign?: string;
}

/** Facts of a loaded tool never change, and each call of each run asks for them several times. */
const factsByTool = new WeakMap<RegisteredTool, ToolFacts>();

export function factsOf(tool: RegisteredTool): ToolFacts {
  const known = factsByTool.get(tool);
  if (known) return known;
  const facts = makeFacts(tool);
  factsByTool.set(tool, facts);
  return facts;
}

function makeFacts({ name, source, manifest, definition }: RegisteredTool): ToolFacts {
  const { risk, scope, asks } = definition;
  const secrets = Object.keys(manifest.secrets).length > 0;
  return {
    name,
    risk,
    scope,
    asks: asks !== undefined,
    secrets,
    leaves: source.isForeign || leaves(definition, manifest.capabilities, secrets),
    ...(source.isForeign ? { foreign: source.id } : {}),
    ...(source.isBundled ? { bundled: true } : {}),
  };
}

function describedWhole({ definition, source }: RegisteredTool): string {
  const { description } = definition;
  if (definition.check) return `${description} ${LATER}`;
  // The words of our own say so themselves.
  return definition.asks === 'answer' && source.isBundled !== true ? `${description} ${BESIDE}` : description;
}

/** What is said of every tool that puts a question to owners. */
const BESIDE = 'What you write beside this call is mailed to the sender at once.';

/** What is said of every tool whose result may come later. */
const LATER =
  'Its result may come much later: what you write beside this call is mailed at once as your answer so far, so write ' +
  'there what you can already answer, or nothing. When the result has come, write only the rest.';

/** One for each tool that is loaded, so that what is known of it (its text, its hash) is found out once for all runs. */
const specs = new WeakMap<RegisteredTool, ToolSpec>();

/** A tool as a model is shown it. */
export function specOf(tool: RegisteredTool): ToolSpec {
  const { name, inputSchema } = tool;
  const description = describedWhole(tool);
  const shown =
    tool.source.isBundled === true ? withoutOpenRefs(inFewWords(withoutToldLater(name, inputSchema))) : inputSchema;
  const spec = specs.get(tool) ?? { name, description, inputSchema: shown };
  specs.set(tool, spec);
  return spec;
}

/**
 * Arguments of ours that a first call does without: how much of something is shown at once, and what the tool's own result or
 * refusal asks for by name (how a table's figures are written, what else can be set of a task). They are taken like all others.
 */
const TOLD_LATER: Readonly<Record<string, readonly string[]>> = {
  ask_owner: ['words'],
  list_threads: ['limit'],
  // A denial is a standing rule. One that hangs on what a mail says is a sentence among the rules, and is held by code where it is passed here.
  propose_playbook: ['deny'],
  query_table: ['numbers', 'dates'],
  read_attachment: ['limit'],
  read_file: ['limit'],
  read_mail: ['part'],
  schedule_task: ['missed', 'overlap', 'thread', 'window'],
  search_mail: ['limit'],
};

function withoutToldLater(name: string, schema: JsonSchema): JsonSchema {
  const { [name]: left = [] } = TOLD_LATER;
  if (left.length === 0 || !isSchema(schema.properties)) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([key]) => !left.includes(key))),
  };
}

/** Bounds that an ordinary call never meets; where one does, the refusal says which. */
const BOUNDS: ReadonlySet<string> = new Set(
  'pattern minLength maxLength minItems maxItems minimum maximum default'.split(' '),
);
/** Whose values are schemas under names of the tool's own. */
const BY_NAME: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

/**
 * The schema of a tool of ours in as few words as tell how it is called: its arguments are validated by the whole one, and
 * each call of each run pays for what is shown. Nobody is asked to pass null where leaving out says the same.
 */
function inFewWords(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (BOUNDS.has(key) && !isSmallLimit(key, value)) return [];
    if (key === 'anyOf' && Array.isArray(value)) return Object.entries(anyOf(value));
    if (BY_NAME.has(key) && isSchema(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fewer(each)]))]];
    // What may be chosen says of what kind it is.
    if (key === 'type' && Array.isArray(schema.enum)) return [];
    if (key === 'type' && Array.isArray(value)) return [[key, value.find((one) => one !== 'null')]];
    return [[key, key === 'items' || key === 'additionalProperties' ? fewer(value) : value]];
  });
  return Object.fromEntries(entries.filter(([key, value]) => key !== 'additionalProperties' || !isAnything(value)));
}

const isAnything = (value: unknown): boolean => isSchema(value) && Object.keys(value).length === 0;

/** So many kinds are as good as any: what is wanted the description says, and what is wrong the refusal. */
const MANY_KINDS = 2;

/** A model asks for as many as it may, and no more. */
const isSmallLimit = (key: string, value: unknown): boolean => key === 'maximum' && Number(value) <= 15_000;

/** What may be passed, without kinds within kinds; the only kind that is left stands for itself. */
function anyOf(kinds: readonly unknown[]): JsonSchema {
  const flat = kinds
    .map(fewer)
    .flatMap((kind) => (isSchema(kind) && Array.isArray(kind.anyOf) ? kind.anyOf : [kind]))
    .filter((kind) => !(isSchema(kind) && kind.type === 'null'));
  const [only] = flat;
  if (flat.length >= MANY_KINDS || flat.some(isAnything)) return {};
  return flat.length === 1 && isSchema(only) ? only : { anyOf: flat };
}

/** Without references to what may be anything, such as any JSON, of which nothing is left to be said. */
function withoutOpenRefs({ $defs, ...schema }: JsonSchema): JsonSchema {
  if (!isSchema($defs) || !Object.values($defs).every(isAnything))
    return $defs === undefined ? schema : { ...schema, $defs };
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (!isSchema(value)) return value;
    const entries = Object.entries(value).map(([key, each]) => [key, without(each)] as const);
    return Object.fromEntries(
      entries.filter(([key, each]) => key !== '$ref' && (key !== 'additionalProperties' || !isAnything(each))),
    );
  };
  return without(schema) as JsonSchema;
}

const fewer = (value: unknown): unknown => (isSchema(value) ? inFewWords(value) : value);

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const REACHING: ReadonlySet<CapabilityName> = new Set(['web', 'outgoing', 'shell', 'schedule']);

/**
 * Reading mail and files stays inside, and so does writing files: what lies in them is no more trusted for it, and is
 * looked at again when it is to go further. A tool that asks for no capability does what it does by ways of its own.
 */
function leaves(
  { risk, scope }: Pick<RegisteredTool['definition'], 'risk' | 'scope'>,
  capabilities: readonly CapabilityName[],
  secrets: boolean,
): boolean {
  if (secrets || capabilities.some((name) => REACHING.has(name)) || /^(?:web|shell):/.test(scope)) return true;
  // What it puts in the place of a question is asked about itself.
  if (risk === 'read' || (capabilities.length === 1 && capabilities[0] === 'waiting')) return false;
  return !/^(?:files|memory):/.test(scope) || capabilities.length === 0;
}

/** One step of narrowing: why the tool is not offered, or null when this step lets it through. */
export type Narrow = (tool: ToolFacts) => SurfaceRefusal | null;
export interface SurfaceRefusal {
  readonly code: 'policy_denied' | 'policy_scope_missing';
  readonly by: string;
  /** In the words of a hook; nobody but who reads the trace is told. */
  readonly reason?: string;
}

const RISKS_BY_TIER: Record<Tier, readonly Risk[]> = {
  owner: RISKS,
  member: RISKS,
  known: ['read', 'create'],
  unauthenticated: ['read'],
  stranger: [],
};

/**
 * What is of the thread itself: the attachments of mail that its reader sent or was sent there and sums over them, the
 * rest of results that were theirs, and a question to an owner, who sees who asks and answers or does not.
 */
const OF_THE_THREAD: ReadonlySet<string> = new Set([
  'read_attachment',
  'query_table',
  'calculate',
  'resolve_ref',
  'ask_owner',
]);

const names = (grants: readonly string[], { name, scope }: ToolFacts): boolean =>
  grants.includes('*') || grants.includes(name) || grants.includes(scope);

/**
 * The persona's grants, the gateway's ceiling and the sender's tier, in that order. `tellsBack`: the run may write to
 * those for whom the mail was sent that it answers; to nobody else, which the governor sees to.
 */
export function narrowingFor(
  persona: Persona,
  policy: SecurityConfig['tool_policy'],
  { tier, tellsBack }: { readonly tier: Tier; readonly tellsBack: boolean },
): readonly Narrow[] {
  const { allow, deny } = persona.tools;
  const isForTelling = ({ name }: ToolFacts) => tellsBack && name === TELLS_BACK;
  return [
    (tool) => {
      if (deny.includes(tool.scope)) return { code: 'policy_scope_missing', by: 'persona.tools.deny' };
      if (deny.includes(tool.name) || deny.includes('*')) return { code: 'policy_denied', by: 'persona.tools.deny' };
      return names(allow, tool) ? null : { code: 'policy_scope_missing', by: 'persona.tools.allow' };
    },
    (tool) => {
      const denied = policy.tools[tool.name] === 'deny' || policy.risk[tool.risk] === 'deny';
      return denied ? { code: 'policy_denied', by: 'security.tool_policy' } : null;
    },
    (tool) =>
      RISKS_BY_TIER[tier].includes(tool.risk) || isForTelling(tool)
        ? null
        : { code: 'policy_denied', by: `tier ${tier}` },
    // Whoever an owner puts in Cc was put there to hear of this, not to read the persona's files and mail.
    (tool) =>
      tier !== 'known' || OF_THE_THREAD.has(tool.name) || isForTelling(tool) || names(persona.access.known.tools, tool)
        ? null
        : { code: 'policy_denied', by: 'persona.access.known' },
    // Nobody knows who asks: no mail is theirs to see, and nothing may carry an address or a page's name outside.
    (tool) =>
      tier !== 'unauthenticated' || (tool.scope === 'files:read' && tool.leaves !== true)
        ? null
        : { code: 'policy_denied', by: 'tier unauthenticated' },
  ];
}

/** What one model call was shown. Its calls are judged by this, in whatever life of the run they are made. */
interface Surface {
  readonly names: readonly string[];
  /** Hash of the names, texts and schemas as the vendor got them. */
  readonly fingerprint: string;
}

/** One per list: all calls of a run are made with the same, and mostly those of the next run, too. */
const surfaces = new WeakMap<readonly ToolSpec[], Surface>();

export function surfaceOf(tools: readonly ToolSpec[]): Surface {
  const known = surfaces.get(tools);
  if (known) return known;
  const made = { names: tools.map(({ name }) => name), fingerprint: sha256(JSON.stringify(tools)) };
  surfaces.set(tools, made);
  return made;
}

/**
 * Names that a call may have whose turn came from that model call: those it was shown, and nothing that was granted
 * since. A list that cannot be made again as it was is nobody's list. Null while no model was asked.
 */
export function namesShown(exposed: Exposed | null, pinned: readonly ToolSpec[]): readonly string[] | null {
  if (exposed === null) return null;
  const { fingerprint, names } = exposed;
  const shown = names === null ? pinned : pinned.filter(({ name }) => names.includes(name));
  const surface = surfaceOf(shown);
  return fingerprint === null || fingerprint === surface.fingerprint ? surface.names : [];
}

/** The model was not shown it, whatever today's grants say. */
export const notShown = (name: string, shown: readonly string[] | null): SurfaceRefusal | null =>
  shown === null || shown.includes(name) ? null : { code: 'policy_denied', by: 'not_shown' };

/** Whether a tool that turned out riskier for its arguments is still within what the tier may use. */
export const tierAllows = (tier: Tier, risk: Risk): boolean => RISKS_BY_TIER[tier].includes(risk);

/** The first step that stands in the way. Exposure to the model and dispatch of a call both ask this. */
export function refusalOf(tool: ToolFacts, narrowing: readonly Narrow[]): SurfaceRefusal | null {
  for (const narrow of narrowing) {
    const refusal = narrow(tool);
    if (refusal) return refusal;
  }
  return null;
}
