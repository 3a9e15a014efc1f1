import { Words } from '../parts/controls.tsx';
import { signerEmail, signerName } from './sign-state.ts';

/** Who signs. */
export const SignerWords = () => (
  <>
    <Words
      label="Name of the signer"
      value={signerName.value}
      autoComplete="name"
      onInput={(text) => {
        signerName.value = text;
      }}
    />
    <Words
      label="E-mail of the signer"
      type="email"
      value={signerEmail.value}
      autoComplete="email"
      onInput={(text) => {
        signerEmail.value = text;
      }}
    />
  </>
);
