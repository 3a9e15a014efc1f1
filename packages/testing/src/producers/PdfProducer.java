import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Calendar;
import java.util.TimeZone;
import org.apache.pdfbox.cos.COSArray;
import org.apache.pdfbox.cos.COSBase;
import org.apache.pdfbox.cos.COSDictionary;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.ExternalSigningSupport;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.PDSignature;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.SignatureOptions;
import org.apache.pdfbox.pdmodel.interactive.form.PDAcroForm;
import org.apache.pdfbox.pdmodel.interactive.form.PDField;
import org.bouncycastle.cert.jcajce.JcaCertStore;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;

/**
 * Produces PDF files with PDFBox and Bouncy Castle: `sign in out p12 password level` signs, and certifies if the level
 * is not 0; `fill in out field value` fills in a form field. Both append an update.
 */
public final class PdfProducer {
  public static void main(String[] arguments) throws Exception {
    try (PDDocument document = PDDocument.load(new File(arguments[1]));
        FileOutputStream out = new FileOutputStream(arguments[2])) {
      if ("sign".equals(arguments[0])) sign(document, out, arguments[3], arguments[4].toCharArray(), Integer.parseInt(arguments[5]));
      else fill(document, out, arguments[3], arguments[4]);
    }
  }

  private static void sign(PDDocument document, FileOutputStream out, String file, char[] password, int level) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (FileInputStream in = new FileInputStream(file)) {
      store.load(in, password);
    }
    String alias = store.aliases().nextElement();
    PDSignature signature = new PDSignature();
    signature.setFilter(PDSignature.FILTER_ADOBE_PPKLITE);
    signature.setSubFilter(PDSignature.SUBFILTER_ADBE_PKCS7_DETACHED);
    signature.setName("Somebody else");
    signature.setSignDate(Calendar.getInstance(TimeZone.getTimeZone("Europe/Vienna")));
    if (level != 0) certify(document, signature, level);
    SignatureOptions options = new SignatureOptions();
    options.setPreferredSignatureSize(20_000);
    document.addSignature(signature, options);
    ExternalSigningSupport external = document.saveIncrementalForExternalSigning(out);
    external.setSignature(cms(external.getContent(), store, alias, password));
  }

  /** Bouncy Castle writes BER with indefinite lengths. */
  private static byte[] cms(InputStream content, KeyStore store, String alias, char[] password) throws Exception {
    PrivateKey key = (PrivateKey) store.getKey(alias, password);
    X509Certificate own = (X509Certificate) store.getCertificate(alias);
    String algorithm = "EC".equals(key.getAlgorithm()) ? "SHA256withECDSA" : "SHA256withRSA";
    CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
    generator.addSignerInfoGenerator(
        new JcaSignerInfoGeneratorBuilder(new JcaDigestCalculatorProviderBuilder().build())
            .build(new JcaContentSignerBuilder(algorithm).build(key), own));
    generator.addCertificates(new JcaCertStore(Arrays.asList(store.getCertificateChain(alias))));
    return generator.generate(new CMSProcessableByteArray(all(content)), false).getEncoded();
  }

  private static byte[] all(InputStream content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] chunk = new byte[65_536];
    for (int read = content.read(chunk); read != -1; read = content.read(chunk)) bytes.write(chunk, 0, read);
    return bytes.toByteArray();
  }

  private static void certify(PDDocument document, PDSignature signature, int level) {
    COSDictionary parameters = new COSDictionary();
    parameters.setItem(COSName.TYPE, COSName.getPDFName("TransformParams"));
    parameters.setInt(COSName.P, level);
    parameters.setName(COSName.V, "1.2");
    parameters.setNeedToBeUpdated(true);
    COSDictionary reference = new COSDictionary();
    reference.setItem(COSName.TYPE, COSName.getPDFName("SigRef"));
    reference.setItem("TransformMethod", COSName.DOCMDP);
    reference.setItem("TransformParams", parameters);
    reference.setNeedToBeUpdated(true);
    COSArray references = new COSArray();
    references.add(reference);
    references.setNeedToBeUpdated(true);
    signature.getCOSObject().setItem("Reference", references);
    COSDictionary catalog = document.getDocumentCatalog().getCOSObject();
    COSDictionary permissions = new COSDictionary();
    permissions.setItem(COSName.DOCMDP, signature);
    catalog.setItem(COSName.getPDFName("Perms"), permissions);
    catalog.setNeedToBeUpdated(true);
    permissions.setNeedToBeUpdated(true);
  }

  private static void fill(PDDocument document, FileOutputStream out, String name, String value) throws IOException {
    PDAcroForm form = document.getDocumentCatalog().getAcroForm();
    PDField field = form.getField(name);
    field.setValue(value);
    COSDictionary dictionary = field.getCOSObject();
    dictionary.setNeedToBeUpdated(true);
    COSBase looks = dictionary.getDictionaryObject(COSName.AP);
    if (looks instanceof COSDictionary) {
      ((COSDictionary) looks).setNeedToBeUpdated(true);
      COSBase look = ((COSDictionary) looks).getDictionaryObject(COSName.N);
      if (look instanceof COSDictionary) ((COSDictionary) look).setNeedToBeUpdated(true);
    }
    form.getCOSObject().setNeedToBeUpdated(true);
    document.getDocumentCatalog().getCOSObject().setNeedToBeUpdated(true);
    document.saveIncremental(out);
  }
}
