import { describe, expect, test } from '@jest/globals';
import { containerOf, deploymentOf, environmentOf, podOf, type Variable } from './deployments.ts';
import { renderText } from './helm.ts';

describe('pods of the gateway', () => {
  test('alone mount a first API key, if an operator configures one', async () => {
    const args = ['--set', 'bootstrapKey.existingSecret=first-key'];
    const gateway = await deploymentOf('gateway', 'defaults', ...args);
    expect(environmentOf(gateway).BOOTSTRAP_API_KEY_FILE).toBe('/etc/scriptorium/bootstrap/API_KEY');
    expect(podOf(gateway).volumes).toContainEqual({
      name: 'bootstrap-key',
      secret: { secretName: 'first-key', items: [{ key: 'API_KEY', path: 'API_KEY' }] },
    });
    expect(containerOf(gateway).volumeMounts).toContainEqual({
      name: 'bootstrap-key',
      mountPath: '/etc/scriptorium/bootstrap',
      readOnly: true,
    });
    expect((await renderText('everything', ...args)).match(/first-key/g)).toHaveLength(1);
    expect(environmentOf(await deploymentOf('gateway', 'defaults'))).not.toHaveProperty(
      'BOOTSTRAP_API_KEY_FILE',
    );
  });

  test('need a mail server unless no address gets a key', async () => {
    const smtpOf = async (...args: string[]) => {
      const variables: Variable[] = containerOf(await deploymentOf('gateway', 'defaults', ...args)).env;
      return variables.find(({ name }) => name === 'SMTP_URL');
    };
    const key = { name: 'scriptorium', key: 'SMTP_URL' };
    expect(await smtpOf()).toEqual({ name: 'SMTP_URL', valueFrom: { secretKeyRef: key } });
    const closed = await smtpOf('--set', 'gateway.settings.REGISTRATION=closed');
    expect(closed).toEqual({ name: 'SMTP_URL', valueFrom: { secretKeyRef: { ...key, optional: true } } });
    const without = ['--set', 'trial.mail.enabled=false'];
    await expect(renderText('trial', ...without)).rejects.toThrow('secrets.values.smtpUrl');
    const text = await renderText('trial', ...without, '--set', 'gateway.settings.REGISTRATION=closed');
    expect(text).not.toMatch(/^ {2}SMTP_URL:/m);
  });
});
