/** Plain text without caller input, so that it cannot be used for injection. */
export interface Message {
  subject: string;
  text: string;
}

export function verificationMessage(code: string, at: Date): Message {
  return {
    subject: 'Your Scriptorium verification code',
    text: [
      'Someone, probably you, requested a Scriptorium API key for this address',
      `on ${at.toUTCString()}.`,
      '',
      `Your verification code: ${code}`,
      '',
      'It can be used once, within 15 minutes. The service will never ask you for it.',
      'If you did not request a key, you can ignore this mail: nothing happens without the code.',
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
      'If this was not you, request a key of your own and revoke this one:',
      'DELETE /v1/auth/keys/<key id>',
      '',
    ].join('\n'),
  };
}
