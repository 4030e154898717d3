import { type Login, passwordLogin } from '../../engine/mailbox/login/login.ts';

/** A login with this secret; undefined: its variable is not set. */
export const withSecret = (secretOf: () => string | undefined, name = 'SECRET'): Login =>
  passwordLogin({ auth: 'password', secret_env: name }, secretOf);

/** For a server that wants none. */
export const withoutSecret: Login = passwordLogin({ auth: 'none', secret_env: 'NONE' }, () => undefined);
