import type { Json, JsonSchema, Risk, Scope, ToolContext } from '#contract';
import type { McpServerConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { HIDDEN } from '../../lib/secrets/secrets.ts';
import { plainSchema, validatorOf } from '../loading/validator.ts';
import type { Away } from '../pins/difference.ts';
import type { RegisteredTool, Validation } from '../types.ts';
import type { ListedTool } from './listing.ts';
import { NO_USABLE_ARGUMENTS } from './listing.ts';

const MAX_NAME = 64;
const MAX_DESCRIPTION = 2000;
const VERBS = { read: 'read', create: 'create', write: 'write', destructive: 'delete' } as const;

/** The server that a tool is of, as far as the tool needs it. */
export interface ToolServer {
  readonly config: McpServerConfig;
  /** Why it cannot be called now; null when it can. */
  trouble(): string | null;
  /** Why this tool may not be used as it is listed; null: its owner has seen it so. */
  refusal(tool: ListedTool): string | null;
  call(tool: ListedTool, args: unknown, context: ToolContext): Promise<Json>;
}

/** `<server>_<tool>`, in the letters that vendors take. */
export const toolName = (server: string, tool: string): string =>
  `${server}_${tool.toLowerCase().replace(/[^a-z0-9_]/g, '_')}`.slice(0, MAX_NAME);

/** Which tools of a list its owner wants. */
export const isWanted = ({ tools }: Pick<McpServerConfig, 'tools'>, { name }: Pick<ListedTool, 'name'>): boolean =>
  tools.allow.includes('*') || tools.allow.includes(name);

/** Tells whether a tool is still the one that was listed. */
export const hashOf = (tool: ListedTool): string => sha256(canonicalJson({ ...tool, inputSchema: tool.inputSchema }));

/** The owner's word counts. A server may raise what its tool risks; it lowers that only where its owner trusts it to. */
function riskOf(
  { tools }: McpServerConfig,
  { name, onlyReads, destroys }: Pick<ListedTool, 'name' | 'onlyReads' | 'destroys'>,
): Risk {
  const named = Object.hasOwn(tools.risk, name) ? tools.risk[name] : undefined;
  if (named !== undefined) return named;
  if (destroys) return 'destructive';
  return onlyReads && tools.trust_hints ? 'read' : 'write';
}

/** A listed tool as everything else sees tools. One whose schema cannot be used is there and not ready. */
export async function toolOf(listed: ListedTool, owner: ToolServer): Promise<RegisteredTool> {
  const { config } = owner;
  const { $schema, ...schema } = listed.inputSchema;
  const usable =
    listed.wrong !== undefined
      ? { validate: refuseAll, why: listed.wrong }
      : await validatorOf(listed.inputSchema, 'input', { foreign: true }).then(
          ({ validate }) => ({ validate, why: null }),
          () => ({ validate: refuseAll, why: NO_USABLE_ARGUMENTS }),
        );
  return registered(toolName(config.name, listed.name), owner, {
    description: shortened(listed.description) || `The tool ${shortened(listed.name)} of ${config.name}`,
    risk: riskOf(config, listed),
    inputSchema: plainSchema(schema),
    validate: usable.validate,
    ready: () => usable.why ?? owner.refusal(listed) ?? owner.trouble(),
    call: (args, context) => owner.call(listed, args, context),
  });
}

/**
 * Stand for the tools of a server whose list is not known, so that the model is told why it has none of them: one by the
 * server's name, or those that its owner wants by their names.
 */
export function standIns(owner: ToolServer, why: string): readonly RegisteredTool[] {
  const { name, tools } = owner.config;
  const names = tools.allow.includes('*') ? [name] : tools.allow.map((tool) => toolName(name, tool));
  return names.map((each) =>
    registered(each, owner, {
      description: each,
      risk: 'read',
      inputSchema: { type: 'object' },
      validate: refuseAll,
      ready: () => why,
      call: () => Promise.reject(new Error(why)),
    }),
  );
}

/** Why a tool is away, in our words: for a model, for owners, for the trace. */
export const AWAY: Readonly<Record<Away, (server: string) => string>> = {
  new: (server) => `an owner has not yet allowed this tool of the MCP server ${server}`,
  changed: (server) => `the MCP server ${server} has changed this tool since an owner allowed it`,
  removed: (server) => `the MCP server ${server} does not offer this tool any more`,
  lock: (server) => `what owners have allowed of the MCP server ${server} cannot be read`,
};

/**
 * Stands for a tool that its owner has not seen as it is: nothing of what its server says of it is in here but its name.
 * `known`: an owner has seen that name, too.
 */
export function awayTool(
  name: string,
  { owner, why, known }: { readonly owner: ToolServer; readonly why: Away; readonly known: boolean },
): RegisteredTool {
  const { config } = owner;
  const said = AWAY[why](config.name);
  return {
    ...registered(toolName(config.name, name), owner, {
      description: said,
      risk: riskOf(config, { name, onlyReads: false, destroys: false }),
      inputSchema: { type: 'object' },
      validate: refuseAll,
      ready: () => said,
      call: () => Promise.reject(new Error(said)),
    }),
    away: { why, server: config.name, known: known || config.tools.allow.includes(name) },
  };
}

const refuseAll = (): Validation => ({ ok: false, message: 'it cannot be called' });

const shortened = (text: string): string => text.replace(HIDDEN, '').trim().slice(0, MAX_DESCRIPTION).toWellFormed();

function registered(
  name: string,
  { config }: ToolServer,
  tool: Pick<RegisteredTool, 'validate' | 'ready' | 'call'> & {
    description: string;
    risk: Risk;
    inputSchema: JsonSchema;
  },
): RegisteredTool {
  const { description, risk, inputSchema, validate, ready, call } = tool;
  const scope: Scope = `${config.tools.scope}:${VERBS[risk]}`;
  const id = `mcp:${config.name}`;
  const secrets = [...config.env, ...Object.values(config.headers)];
  return {
    name,
    source: { id, isForeign: true },
    manifest: {
      name,
      // Policy looks at whether there are any; they go to the server alone, not into the context of a call.
      secrets: Object.fromEntries(secrets.map((variable) => [variable, variable])),
      capabilities: [],
      ...(config.timeout_s === undefined ? {} : { timeout_s: config.timeout_s }),
    },
    definition: { description, risk, scope, input: inputSchema, uses: [], provenance: () => ({ id }) },
    config: null,
    secrets: () => ({}),
    inputSchema,
    validate,
    validateOutput: (value) => ({ ok: true, value }),
    ready,
    call,
  };
}
