import java.io.File;
import java.nio.file.Files;
import java.security.Security;
import java.util.Arrays;
import java.util.Collection;
import org.apache.pdfbox.cos.COSArray;
import org.apache.pdfbox.cos.COSBase;
import org.apache.pdfbox.cos.COSDictionary;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.PDSignature;
import org.apache.pdfbox.pdmodel.interactive.form.PDSignatureField;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.tsp.TimeStampToken;

/**
 * Checks the signatures of the given PDF files and prints one line of JSON each. PDFBox reads the document and its
 * signed bytes; Bouncy Castle verifies the signature over them.
 */
public final class PdfSignatures {
  public static void main(String[] files) throws Exception {
    Security.addProvider(new BouncyCastleProvider());
    for (String name : files) {
      byte[] bytes = Files.readAllBytes(new File(name).toPath());
      try (PDDocument document = PDDocument.load(bytes)) {
        for (PDSignatureField field : document.getSignatureFields()) {
          if (field.getSignature() != null) report(name, bytes, document, field);
        }
      } catch (Exception exception) {
        System.out.println("{" + pair("file", name) + "," + pair("unreadable", exception.toString()) + "}");
      }
    }
  }

  private static void report(String file, byte[] bytes, PDDocument document, PDSignatureField field) throws Exception {
    PDSignature signature = field.getSignature();
    byte[] contents = signature.getContents(bytes);
    byte[] signed = signature.getSignedContent(bytes);
    int[] range = signature.getByteRange();
    boolean coversAll = range[0] == 0 && range[2] + range[3] == bytes.length;
    String problem;
    try {
      problem = "ETSI.RFC3161".equals(signature.getSubFilter()) ? timestamp(contents, signed) : cms(contents, signed);
    } catch (Exception exception) {
      problem = exception.toString();
    }
    System.out.println("{" + String.join(",",
        pair("file", file),
        pair("field", field.getFullyQualifiedName()),
        pair("subFilter", signature.getSubFilter()),
        pair("name", signature.getName()),
        pair("reason", signature.getReason()),
        pair("location", signature.getLocation()),
        pair("date", signature.getSignDate() == null ? null : signature.getSignDate().toInstant().toString()),
        pair("problem", problem),
        "\"coversAll\":" + coversAll,
        "\"certificationLevel\":" + certificationLevel(document, signature),
        "\"widgets\":" + field.getWidgets().size()) + "}");
  }

  /** The certification level in the catalog's permissions, if they refer to this signature; otherwise 0. */
  private static int certificationLevel(PDDocument document, PDSignature signature) {
    COSBase permissions = document.getDocumentCatalog().getCOSObject().getDictionaryObject(COSName.getPDFName("Perms"));
    if (!(permissions instanceof COSDictionary)) return 0;
    COSBase certification = ((COSDictionary) permissions).getDictionaryObject(COSName.DOCMDP);
    if (certification != signature.getCOSObject()) return 0;
    COSArray references = (COSArray) signature.getCOSObject().getDictionaryObject("Reference");
    for (int index = 0; index < references.size(); index++) {
      COSDictionary reference = (COSDictionary) references.getObject(index);
      if (!COSName.DOCMDP.equals(reference.getDictionaryObject("TransformMethod"))) continue;
      return ((COSDictionary) reference.getDictionaryObject("TransformParams")).getInt(COSName.P, 2);
    }
    return 0;
  }

  private static String cms(byte[] contents, byte[] signed) throws Exception {
    CMSSignedData data = new CMSSignedData(new CMSProcessableByteArray(signed), contents);
    for (SignerInformation signer : data.getSignerInfos().getSigners()) {
      Collection<X509CertificateHolder> matches = data.getCertificates().getMatches(signer.getSID());
      if (matches.size() != 1) return "the certificate of the signer is not there once";
      JcaSimpleSignerInfoVerifierBuilder builder = new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC");
      if (!signer.verify(builder.build(matches.iterator().next()))) return "the signature does not hold";
    }
    return data.getSignerInfos().size() == 1 ? null : "there is not one signer";
  }

  private static String timestamp(byte[] contents, byte[] signed) throws Exception {
    TimeStampToken token = new TimeStampToken(new CMSSignedData(contents));
    if (!token.getTimeStampInfo().getMessageImprintAlgOID().equals(NISTObjectIdentifiers.id_sha256)) return "no SHA-256";
    byte[] digest = java.security.MessageDigest.getInstance("SHA-256").digest(signed);
    if (!Arrays.equals(digest, token.getTimeStampInfo().getMessageImprintDigest())) return "the imprint is another";
    Collection<X509CertificateHolder> matches = token.getCertificates().getMatches(token.getSID());
    if (matches.size() != 1) return "the certificate of the authority is not there";
    token.validate(new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(matches.iterator().next()));
    return null;
  }

  private static String pair(String key, String value) {
    if (value == null) return "\"" + key + "\":null";
    StringBuilder text = new StringBuilder();
    for (char character : value.toCharArray()) {
      if (character < 32 || character > 126 || character == '"' || character == '\\') {
        text.append(String.format("\\u%04x", (int) character));
      } else text.append(character);
    }
    return "\"" + key + "\":\"" + text + "\"";
  }
}
