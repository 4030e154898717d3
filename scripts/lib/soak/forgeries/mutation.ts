import type { Random } from '../random.ts';
import type { Signer } from './dkim.ts';
import { bytesOf, type Mail } from './mail.ts';
import type { Original, Target } from './originals.ts';

export interface Material {
  /** What the attacker got hold of: somebody else's mail, signed. */
  readonly original: Original;
  readonly target: Target;
  readonly random: Random;
  readonly keys: Signer;
}

/** What he made of it; `what` tells how, shortly. */
export interface Mutant {
  readonly what: string;
  /** One character each. */
  readonly raw: string;
}

/** Null where it does not apply to this mail. */
export type Mutate = (material: Material) => Mutant | null;

export const textOf = (mail: Mail): string => bytesOf(mail).toString('latin1');

export const mutant = (what: string, mail: Mail): Mutant => ({ what, raw: textOf(mail) });
