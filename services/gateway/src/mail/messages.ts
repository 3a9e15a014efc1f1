/** Plain text without anything that a caller typed: nothing to inject into. */
export interface Message {
  subject: string;
  text: string;
}

export function verificationMessage(code: string, at: Date): Message {
  return {
    subject: 'Your Scriptorium verification code',
    text: [
      'Somebody, probably you, asked for a Scriptorium API key for this address',
      `on ${at.toUTCString()}.`,
      '',
      `Your verification code: ${code}`,
      '',
      'It works once, within 15 minutes. Nobody from the service will ask you for it.',
      'If you did not ask for a key, you can ignore this mail: nothing happens without the code.',
      '',
    ].join('\n'),
  };
}

export function keyIssuedMessage(keyId: string, last4: string, at: Date): Message {
  return {
    subject: 'A Scriptorium API key was issued',
    text: [
      `An API key was issued for this address on ${at.toUTCString()}.`,
      '',
      `Key id: ${keyId} (the key ends in ${last4})`,
      '',
      'If this was not you, ask for a key of your own and revoke this one:',
      'DELETE /v1/auth/keys/<key id>',
      '',
    ].join('\n'),
  };
}
