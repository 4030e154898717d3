// Passkeys: what the console asks of this device is handed to the browser, and its answer goes back as a form. A browser without
// script, or without passkeys, is shown none of it.
(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (one) => one.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
  const named = (list) => (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));
  const ask = async (form) => {
    if (form.dataset.options === undefined) {
      const type = 'application/x-www-form-urlencoded';
      const answer = await fetch(form.dataset.asks, { method: 'POST', headers: { 'content-type': type } });
      if (!answer.ok) throw new Error('refused');
      const options = await answer.json();
      return navigator.credentials.get({ publicKey: { ...options, challenge: bytes(options.challenge) } });
    }
    const options = JSON.parse(form.dataset.options);
    return navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: named(options.excludeCredentials),
      },
    });
  };
  const FIELDS = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
  const said = (credential) => {
    const response = {};
    for (const name of FIELDS) if (credential.response[name]) response[name] = text(credential.response[name]);
    return JSON.stringify({ id: credential.id, rawId: text(credential.rawId), type: credential.type, response });
  };
  for (const form of document.querySelectorAll('[data-does="passkey"]')) {
    const words = form.querySelector('[role="status"]');
    if (!window.PublicKeyCredential) {
      words.textContent = 'This browser has no passkeys.';
      form.querySelector('button').disabled = true;
    }
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      words.textContent = '';
      try {
        form.elements.namedItem('credential').value = said(await ask(form));
        form.submit();
      } catch (error) {
        const known = error.name === 'InvalidStateError';
        words.textContent = known
          ? 'This device has a passkey for the console already.'
          : 'This device gave no passkey.';
      }
    });
  }
})();
