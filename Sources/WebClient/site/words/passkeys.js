// The words of `sessions/passkeys.js`.
export const WORDS = {
  noPasskeyWasUsedTry: "No passkey was used. Try again, or sign in another way.",
  thisDeviceHasAPasskey: "This device has a passkey for you already.",
  noPasskeyWasMadeTry: "No passkey was made. Try again when the device is ready.",
};
