import { homedir } from 'node:os';
import { relative } from 'node:path';
import { EngineError } from '#contract';
import type { ReadyFile } from '../../../queries/gateway/running.ts';
import type { Workspace } from '../../../workspace.ts';
import { gatewayPlace } from '../../command/before-upgrade.ts';
import type { CommandContext } from '../../command/context.ts';
import { endGateway, type GatewayPlace, gatewayHere, startGateway } from '../../command/gateway-process.ts';
import { lastStarted, lastStartedFile } from '../../command/last-started.ts';
import type { Prompts } from './ask.ts';

interface Here {
  readonly settings: Pick<CommandContext['settings'], 'stateHome'>;
  /** Null: nobody is asked. */
  readonly prompts: Pick<Prompts, 'mayEnd'> | null;
  /** What a process of the gateway is started with. */
  readonly program: string;
}

/**
 * Starts the gateway of a workspace that was just set up. Where the one that was tried out before has its port, that one is ended if whoever
 * is asked says so. Throws `port_in_use` with what to do, `not_running`.
 */
export async function startHere(workspace: Workspace, { settings, prompts, program }: Here): Promise<{ pid: number }> {
  try {
    return await startGateway(workspace, program);
  } catch (error) {
    const other = error instanceof EngineError && error.code === 'port_in_use' ? otherOf(workspace, settings) : null;
    if (!(error instanceof EngineError) || other === null) throw error;
    if (!(await prompts?.mayEnd(other.root)))
      throw new EngineError(
        'port_in_use',
        `the gateway of ${other.root} runs and has a port that this one needs. All that you said is written: \`epistle stop --workspace ${other.root}\`, then \`epistle setup --folder ${workspace.root}\`, which goes on from there`,
        { cause: error },
      );
    await endGateway(other);
    return startGateway(workspace, program);
  }
}

/** The gateway that was started last on this account, where it listens on a port that this workspace has set; null: it is none of these. */
function otherOf({ root, live }: Workspace, { stateHome }: Here['settings']): GatewayPlace | null {
  const last = lastStarted(lastStartedFile({ stateHome, home: homedir() }));
  const place = last === null || relative(last, root) === '' ? null : gatewayPlace({ root: last });
  const running = place === null ? null : gatewayHere(place);
  const { gateway, system } = live.current();
  const wanted = [gateway.smtp_listener.port, system.console.port];
  return running !== null && portsOf(running).some((port) => wanted.includes(port)) ? place : null;
}

const portsOf = ({ smtp, console: door }: ReadyFile): readonly number[] => [
  ...(smtp ? [smtp.port] : []),
  ...(door ? [Number(new URL(door.url).port)] : []),
];
