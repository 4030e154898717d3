import type { Log } from '#contract';
import type { Environment } from '../config/environment.ts';
import type { LiveConfig } from '../config/live/live.ts';
import type { Extensions } from '../extensions/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Logins } from '../mailbox/oauth/accounts.ts';
import type { ServerLogins } from '../mailbox/oauth/servers/server-logins.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { Overviews } from './overviews.ts';

/** What queries read from; an opened workspace is one. Nothing of a workspace is changed through them. */
export interface QueryPorts {
  /** The folder of the workspace. */
  readonly root: string;
  readonly dataDir: string;
  readonly live: LiveConfig;
  readonly environment: Environment;
  /** How mailboxes log in; the state of those that do by OAuth. */
  readonly logins: Logins;
  /** The same of MCP servers. */
  readonly serverLogins: Pick<ServerLogins, 'state'>;
  readonly gateway: GatewayStore;
  readonly stores: Stores;
  readonly overviews: Overviews;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Whether some process works on the workspace now. */
  isLocked(): boolean;
  /** Loaded at the first call; afterwards those in force. */
  extensions(): Promise<Extensions>;
  /** Those in force now; `extensions` must have been awaited before. */
  currentExtensions(): Extensions;
  /** Resolves when every source of tools has tried once to find out what it has; null: none has to. Never rejects. */
  prepareTools(grants: null): Promise<void> | null;
}
