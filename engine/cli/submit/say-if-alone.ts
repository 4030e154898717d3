import { runningGateway } from '../../queries/gateway/running.ts';
import type { Workspace } from '../../workspace.ts';

interface Speaker {
  readonly json: boolean;
  note(line: string): void;
  /** A command as it is to be typed here. */
  command(words: string): string;
}

/** Tells who sits at the command line that no gateway runs on this workspace: the mail is worked here, and no other is. */
export function sayIfAlone({ json, note, command }: Speaker, workspace: Workspace): void {
  if (json || runningGateway(workspace)) return;
  note(`No gateway runs on ${workspace.root}: this mail is worked here and now. To have one: ${command('start')}`);
}
