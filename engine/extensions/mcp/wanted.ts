import type { McpServerConfig } from '../../config/types.ts';
import type { ServerPins } from '../pins/difference.ts';
import type { ToolGrants } from '../types.ts';
import { isWanted, toolName } from './tools.ts';

/**
 * Whether somebody with these grants may have a tool of the server, as far as its tools are known: those that its owner
 * names, and those that an owner has allowed. In doubt, yes. Pure.
 */
export function mayUse(
  { allow, deny }: ToolGrants,
  config: Pick<McpServerConfig, 'name' | 'tools'>,
  pinned: () => ServerPins | null,
): boolean {
  if (deny.includes('*')) return false;
  const own = `${config.name}_`;
  const named = allow.filter((grant) => grant === config.name || grant.startsWith(own));
  if (named.some((grant) => !deny.includes(grant))) return true;
  // What risk a tool has, and so its whole scope, is known when its server was asked.
  if (!allow.includes('*') && !allow.some((grant) => grant.startsWith(`${config.tools.scope}:`))) return false;
  const names = [...config.tools.allow, ...(pinned()?.keys() ?? [])].filter((name) => name !== '*');
  const known = names.filter((name) => isWanted(config, { name })).map((name) => toolName(config.name, name));
  return known.length === 0 || known.some((name) => !deny.includes(name));
}
